import type { Database, SQLQueryBindings } from 'bun:sqlite'
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

/**
 * Kysely on the store's own connection. Statements are synchronous and commit by themselves, so they
 * can never fall into the middle of a group's transaction; transactions of Kysely's own could, and are refused.
 * @param database throws `StoreUnavailable` when it has been closed
 */
export function createDialect(database: () => Database): Dialect {
  return {
    createDriver: () => new BunSqliteDriver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (kysely: Kysely<unknown>) => new SqliteIntrospector(kysely),
  }
}

class BunSqliteDriver implements Driver {
  readonly #connection: DatabaseConnection
  constructor(database: () => Database) {
    this.#connection = new BunSqliteConnection(database)
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
  readonly #database: () => Database
  constructor(database: () => Database) {
    this.#database = database
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return patiently(() => {
      const statement = this.#database().query<Row, SQLQueryBindings[]>(query.sql)
      const parameters = query.parameters as SQLQueryBindings[]
      if (statement.columnNames.length > 0) return { rows: statement.all(...parameters) }
      const { changes } = statement.run(...parameters)
      return { rows: [], numAffectedRows: BigInt(changes) }
    })
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('a long list is read in pages')
  }
}
