import { SQL } from 'bun'
import { StoreUnavailable } from '../../core/ports/till.ts'

/**
 * What a failed statement means for the work it belonged to:
 * `contention`: rolled back in favour of others, the same again may pass;
 * `unavailable`: the database is away, and whether a COMMIT under way went through is unknown;
 * `fault`: the statement itself is wrong, rolled back.
 */
export type PostgresFailure = 'contention' | 'unavailable' | 'fault'

/** SQLSTATEs of transactions that lost to others: serialization failure, deadlock, lock timeout. */
const CONTENTION = new Set(['40001', '40P01', '55P03'])
/** Where the server refuses a prepared statement that another node's migration made stale; its words are in any language. */
const STALE_STATEMENT = { state: '0A000', routine: 'RevalidateCachedQuery' }
/**
 * Classes of SQLSTATEs in which the server does not serve us: connection exception, invalid authorization,
 * invalid catalog name, insufficient resources, operator intervention (shutdown, timeouts), system error.
 */
const UNAVAILABLE_CLASSES = new Set(['08', '28', '3D', '53', '57', '58'])
/** A server that only reads (it lost its leadership), and a transaction that idled too long. */
const UNAVAILABLE = new Set(['25006', '25P03'])

/**
 * A prepared statement is missing, or is there already: a pooler gave the connection to another server process.
 */
const LOST_STATEMENTS = new Set(['26000', '42P05'])

export function classifyFailure(error: unknown): PostgresFailure {
  if (error instanceof StoreUnavailable) return 'unavailable'
  // The time to wait for a free connection ran out.
  if (error instanceof DOMException) return 'unavailable'
  if (!(error instanceof SQL.PostgresError)) return 'fault'
  const state = error.errno
  // Without a state the error is the driver's own: no connection, or a lost one.
  if (state === undefined) return error.code.startsWith('ERR_POSTGRES_') ? 'unavailable' : 'fault'
  if (CONTENTION.has(state) || isStale(error)) return 'contention'
  if (LOST_STATEMENTS.has(state)) return 'unavailable'
  return UNAVAILABLE.has(state) || UNAVAILABLE_CLASSES.has(state.slice(0, 2)) ? 'unavailable' : 'fault'
}

function isStale({ errno, routine }: SQL.PostgresError): boolean {
  return errno === STALE_STATEMENT.state && routine === STALE_STATEMENT.routine
}

/** The error for callers: `StoreUnavailable` unless the statement itself was wrong. */
export function callersError(error: unknown): unknown {
  if (error instanceof StoreUnavailable || classifyFailure(error) === 'fault') return error
  return new StoreUnavailable(adviceOn(error) ?? 'the database cannot be reached or cannot commit', {
    cause: error,
  })
}

/** The error for whoever opens the store: with the words of the server, which an operator can act on. */
export function openingError(failure: unknown): unknown {
  const error = failure instanceof StoreUnavailable ? (failure.cause ?? failure) : failure
  if (error instanceof StoreUnavailable || classifyFailure(error) === 'fault') return failure
  const said = error instanceof Error ? error.message : String(error)
  const advice = adviceOn(error)
  return new StoreUnavailable(advice === undefined ? said : `${said}; ${advice}`, { cause: error })
}

function adviceOn(error: unknown): string | undefined {
  if (!(error instanceof SQL.PostgresError)) return undefined
  if (LOST_STATEMENTS.has(error.errno ?? '')) {
    return 'the pooler before the database loses prepared statements: add ?prepare=false to the database URL, or use pgbouncer 1.21 or later with max_prepared_statements'
  }
  if (/statement pooling/i.test(error.message)) {
    return 'a pooler before the database must pool sessions or transactions (pool_mode), not statements'
  }
  if (error.code === 'ERR_POSTGRES_TLS_NOT_AVAILABLE') {
    return 'add ?sslmode=disable to the database URL if nobody else is in the network between'
  }
  return undefined
}
