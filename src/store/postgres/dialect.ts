import type { ReservedSQL, SQL } from 'bun'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { storable } from './arrays.ts'
import { callersError, classifyFailure } from './failure.ts'
import { CONNECT_TIMEOUT_MS, ROUND_TRIP_TIMEOUT_MS } from './session.ts'

/** Kysely on Bun's own Postgres client. Throws `StoreUnavailable` when the database is away. */
export function postgresDialect(pool: SQL): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(pool),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

type Connection = DatabaseConnection & { readonly reserved: ReservedSQL }

function createDriver(pool: SQL): Driver {
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      try {
        return connect(await pool.reserve({ signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) }))
      } catch (error) {
        throw callersError(error)
      }
    },
    async beginTransaction(connection, { isolationLevel }) {
      const level = isolationLevel ? ` ISOLATION LEVEL ${isolationLevel.toUpperCase()}` : ''
      await run((connection as Connection).reserved, `BEGIN${level}`)
    },
    async commitTransaction(connection) {
      await run((connection as Connection).reserved, 'COMMIT')
    },
    async rollbackTransaction(connection) {
      await run((connection as Connection).reserved, 'ROLLBACK')
    },
    async releaseConnection(connection) {
      // Bun closes it instead when its transaction is still open.
      await (connection as Connection).reserved.release()
    },
    // The pool belongs to whoever made it.
    destroy: () => Promise.resolve(),
  }
}

function connect(reserved: ReservedSQL): Connection {
  return {
    reserved,
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const rows = await run(reserved, query.sql, query.parameters)
      return { rows: [...rows] as Row[], numAffectedRows: BigInt(rows.affectedRows) }
    },
    streamQuery() {
      throw new Error('streams are read in pages')
    },
  }
}

async function run(reserved: ReservedSQL, text: string, values?: readonly unknown[]) {
  const timer = setTimeout(() => void reserved.close({ timeout: 0 }), ROUND_TRIP_TIMEOUT_MS)
  try {
    return await reserved.unsafe<unknown[]>(text, values?.map(toParameter))
  } catch (error) {
    // A server that went away or lost its leadership, or a stale statement, is not to be met again.
    if (classifyFailure(error) !== 'fault') await reserved.close({ timeout: 0 })
    throw callersError(error)
  } finally {
    clearTimeout(timer)
  }
}

function toParameter(value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value
}
