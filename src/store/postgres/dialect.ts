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
import { StoreUnavailable } from '../../core/ports/till.ts'
import { statementOf } from './atomically.ts'
import { BEGIN, COMMIT } from './begin.ts'
import { callersError, classifyFailure } from './failure.ts'
import { reserve, sendAll, type Rows, type Statement } from './session.ts'

/** Kysely on Bun's own Postgres client. Throws `StoreUnavailable` when the database is away. */
export function postgresDialect(pool: SQL, begin = BEGIN): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(pool, begin),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** How often a query is tried that is rolled back in favour of others. */
const ATTEMPTS_MAX = 3

interface Connection extends DatabaseConnection {
  release(): Promise<void>
}

/** Each query is a transaction of its own. */
function createDriver(pool: SQL, begin: readonly Statement[]): Driver {
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => connect(pool, begin),
    beginTransaction: () => Promise.reject(noTransactions()),
    commitTransaction: () => Promise.reject(noTransactions()),
    rollbackTransaction: () => Promise.reject(noTransactions()),
    releaseConnection: (connection) => (connection as Connection).release(),
    // The pool belongs to whoever made it.
    destroy: () => Promise.resolve(),
  }
}

function noTransactions(): Error {
  return new Error('several statements in one transaction go through a lane')
}

async function connect(pool: SQL, begin: readonly Statement[]): Promise<Connection> {
  let reserved = await take(pool)
  return {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const statements = [...begin, statementOf(query), COMMIT]
      for (let attempt = 1; ; attempt++) {
        try {
          const rows = committed(await sendAll(reserved, statements))
          return { rows: [...rows] as Row[], numAffectedRows: BigInt(rows.affectedRows ?? 0) }
        } catch (error) {
          const failure = classifyFailure(error)
          // A server that went away or lost its leadership, or a stale statement, is not to be met again.
          if (failure !== 'fault') await reserved.close({ timeout: 0 })
          if (failure !== 'contention' || attempt === ATTEMPTS_MAX) throw callersError(error)
          reserved = await take(pool)
        }
      }
    },
    streamQuery() {
      throw new Error('streams are read in pages')
    },
    release: () => reserved.release(),
  }
}

async function take(pool: SQL): Promise<ReservedSQL> {
  try {
    return await reserve(pool)
  } catch (error) {
    throw callersError(error)
  }
}

/** The answer to the statement before COMMIT. */
function committed(answers: readonly Rows[]): Rows {
  const [rows, end] = answers.slice(-2)
  if (!rows || end?.command !== 'COMMIT') throw new StoreUnavailable('the database did not commit')
  return rows
}
