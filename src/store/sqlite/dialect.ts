import type { SQLQueryBindings } from 'bun:sqlite'
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
} from 'kysely'
import { patiently } from './connection.ts'
import type { Statements } from './statements.ts'

/**
 * Kysely on the store's own connection. Statements are synchronous and commit by themselves, so they
 * can never fall into the middle of a group's transaction; transactions of Kysely's own could, and are refused.
 * @param statements throws `StoreUnavailable` when it has been closed
 * @param onCommit called when a statement may have written something
 */
export function createDialect(statements: () => Statements, onCommit: () => void): Dialect {
  return {
    createDriver: () => new BunSqliteDriver(new BunSqliteConnection(statements, onCommit)),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (kysely: Kysely<unknown>) => new SqliteIntrospector(kysely),
  }
}

class BunSqliteDriver implements Driver {
  readonly #connection: DatabaseConnection
  constructor(connection: DatabaseConnection) {
    this.#connection = connection
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }
  async releaseConnection(): Promise<void> {}
  async beginTransaction(): Promise<never> {
    throw new Error('a transaction goes through the group commit')
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async destroy(): Promise<void> {}
}

class BunSqliteConnection implements DatabaseConnection {
  readonly #statements: () => Statements
  readonly #onCommit: () => void
  constructor(statements: () => Statements, onCommit: () => void) {
    this.#statements = statements
    this.#onCommit = onCommit
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await patiently(() => this.#run<Row>(query))
    if (query.query.kind !== 'SelectQueryNode') this.#onCommit()
    return result
  }

  #run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.#statements().passing<Row>(sql)
    const bindings = parameters as SQLQueryBindings[]
    if (statement.columnNames.length > 0) return { rows: statement.all(...bindings) }
    const { changes } = statement.run(...bindings)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('a long list is read in pages')
  }
}
