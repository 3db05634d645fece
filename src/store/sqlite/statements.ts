import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { RecentMap } from '../../core/recent.ts'

/** Statements made on the fly that are kept for the next time; the oldest makes room. */
const PASSING_MAX = 100

/** The prepared statements of a connection: it can only be closed when all of them are finalized. */
export interface Statements {
  /** A statement for as long as the connection lives. */
  prepare<Row>(sql: string): Statement<Row, SQLQueryBindings[]>
  /** A statement that may be made room for: use it at once. */
  passing<Row>(sql: string): Statement<Row, SQLQueryBindings[]>
  finalize(): void
}

export function createStatements(db: Database): Statements {
  const lasting: Statement[] = []
  const passing = new RecentMap<string, Statement>(PASSING_MAX, (statement) => statement.finalize())

  return {
    prepare<Row>(sql: string) {
      const statement = db.prepare<Row, SQLQueryBindings[]>(sql)
      lasting.push(statement)
      return statement
    },
    passing<Row>(sql: string) {
      const kept = passing.get(sql)
      if (kept) return kept as unknown as Statement<Row, SQLQueryBindings[]>
      const statement = db.prepare<Row, SQLQueryBindings[]>(sql)
      passing.set(sql, statement)
      return statement
    },
    finalize() {
      for (const statement of [...lasting, ...passing.values()]) statement.finalize()
      lasting.length = 0
      passing.clear()
    },
  }
}
