/** The two kinds of database that Tollgate keeps its books in. */
export type Engine = 'sqlite' | 'postgres'

/** One step of the schema. What has been released is never edited; a change is a new migration. */
export interface Migration {
  /** `0001-books`: the number gives the order. */
  readonly id: string
  /** The statements to run, in order, in one transaction. */
  readonly statements: (engine: Engine) => readonly string[]
}
