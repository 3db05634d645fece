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
import { callersError, classifyFailure, isOfTables } from './failure.ts'
import type { Connection, Pool, Rows, Statement } from './pool.ts'

export interface DialectOptions {
  readonly begin?: readonly Statement[]
  /** Hears of each query that fails with it. */
  readonly onUnavailable?: (fault: StoreUnavailable) => void
}

/** Kysely on Bun's own Postgres client. Throws `StoreUnavailable` when the database is away. */
export function postgresDialect(pool: Pool, { begin = BEGIN, onUnavailable }: DialectOptions = {}): Dialect {
  function told(error: unknown): unknown {
    const failure = callersError(error)
    if (failure instanceof StoreUnavailable) onUnavailable?.(failure)
    return failure
  }
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(pool, begin, told),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** How often a query is tried that is rolled back in favour of others. */
const ATTEMPTS_MAX = 3

interface Taken extends DatabaseConnection {
  release(): void
}

/** Each query is a transaction of its own. */
function createDriver(pool: Pool, begin: readonly Statement[], told: (error: unknown) => unknown): Driver {
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => connect(pool, begin, told),
    beginTransaction: () => Promise.reject(noTransactions()),
    commitTransaction: () => Promise.reject(noTransactions()),
    rollbackTransaction: () => Promise.reject(noTransactions()),
    async releaseConnection(connection) {
      ;(connection as Taken).release()
    },
    // The pool belongs to whoever made it.
    destroy: () => Promise.resolve(),
  }
}

function noTransactions(): Error {
  return new Error('several statements in one transaction go through a lane')
}

async function connect(
  pool: Pool,
  begin: readonly Statement[],
  told: (error: unknown) => unknown,
): Promise<Taken> {
  async function take(): Promise<Connection> {
    try {
      return await pool.take()
    } catch (error) {
      throw told(error)
    }
  }

  let connection = await take()
  return {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const statements = [...begin, statementOf(query), COMMIT]
      for (let attempt = 1; ; attempt++) {
        try {
          const rows = committed(await connection.send(statements))
          return { rows: [...rows] as Row[], numAffectedRows: BigInt(rows.affectedRows ?? 0) }
        } catch (error) {
          const failure = classifyFailure(error)
          // A server that went away or lost its leadership, or a stale statement, is not to be met again.
          if (failure !== 'fault' && !isOfTables(error)) await connection.close()
          if (failure !== 'contention' || attempt === ATTEMPTS_MAX) throw told(error)
          connection = await take()
        }
      }
    },
    streamQuery() {
      throw new Error('streams are read in pages')
    },
    release: () => connection.release(),
  }
}

/** The answer to the statement before COMMIT. */
function committed(answers: readonly Rows[]): Rows {
  const [rows, end] = answers.slice(-2)
  if (!rows || end?.command !== 'COMMIT') throw new StoreUnavailable('the database did not commit')
  return rows
}
