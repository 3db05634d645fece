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
/** The role lacks a right, or a table of ours is not there: somebody is at work on them. */
const INSUFFICIENT_PRIVILEGE = '42501'
const UNDEFINED_TABLE = '42P01'
const OURS_CHANGED = new Set([INSUFFICIENT_PRIVILEGE, UNDEFINED_TABLE])
/** No schema of the search path is there for this role. */
const NO_SCHEMA = '3F000'
/** A server that only reads (it lost its leadership), and a transaction that idled too long. */
const UNAVAILABLE = new Set(['25006', '25P03', NO_SCHEMA, ...OURS_CHANGED])

/**
 * A prepared statement is missing, or is there already: a pooler gave the connection to another server process.
 */
const LOST_STATEMENTS = new Set(['26000', '42P05'])

/** A setting that is not known, cannot be changed, or has no such value. */
const UNKNOWN_SETTINGS = new Set(['42704', '55P02', '22023'])

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

/** Whether the server itself has said that the statement failed, so that its transaction is rolled back. */
export function isCertain(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError) || error.errno === undefined) return false
  return error.severity === 'ERROR' && !error.errno.startsWith('08')
}

/** Whether the connection is as good as before: it is the tables that are not. */
export function isOfTables(error: unknown): boolean {
  return error instanceof SQL.PostgresError && OURS_CHANGED.has(error.errno ?? '')
}

/** Whether an error, or the one behind it, says that a table is not there. */
export function isOfMissingTable(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error
  return cause instanceof SQL.PostgresError && cause.errno === UNDEFINED_TABLE
}

function isStale({ errno, routine }: SQL.PostgresError): boolean {
  return errno === STALE_STATEMENT.state && routine === STALE_STATEMENT.routine
}

/**
 * The error for whoever asked: `StoreUnavailable` unless the statement itself was wrong; with the words of the server and
 * what an operator can do about it. They hold no password: the server is never told one in a statement.
 */
export function callersError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  if (classifyFailure(error) !== 'fault') return new StoreUnavailable(wordsOf(error), { cause: error })
  return error
}

/** What Bun calls the files of `sslrootcert`, `sslcert` and `sslkey`. */
const TLS_FILES = [
  { name: 'caFile', parameter: 'sslrootcert' },
  { name: 'certFile', parameter: 'sslcert' },
  { name: 'keyFile', parameter: 'sslkey' },
]

/** The error for whoever opens the store at this URL. */
export function openingError(error: unknown, url: string): unknown {
  const file = TLS_FILES.find(({ name }) => error instanceof TypeError && error.message.includes(name))
  if (file) {
    const path = new URL(url).searchParams.get(file.parameter)
    return new StoreUnavailable(`${file.parameter} of its URL names ${path}, which cannot be read`, {
      cause: error,
    })
  }
  if (isOfCertificate(error)) {
    return new StoreUnavailable(
      `the server's certificate is not accepted: ${error.message}; sslrootcert of its URL names the authority, and sslmode=verify-full wants the name that the certificate has`,
      { cause: error },
    )
  }
  return refusesConnection(error)
    ? new StoreUnavailable(wordsOf(error), { cause: error })
    : callersError(error)
}

function isOfCertificate(error: unknown): error is Error {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && CERTIFICATE_CODES.test(code)
}

/** Of OpenSSL and Node: `SELF_SIGNED_CERT_IN_CHAIN`, `CERT_HAS_EXPIRED`, `UNABLE_TO_VERIFY_LEAF_SIGNATURE`, … */
const CERTIFICATE_CODES = /CERT|UNABLE_TO_/

/** Whatever is wrong: it was no statement of ours. */
function refusesConnection(error: unknown): boolean {
  return error instanceof SQL.PostgresError && error.severity === 'FATAL'
}

function wordsOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error)
  const advice = adviceOn(error)
  return advice === undefined ? said : `${said}; ${advice}`
}

/** By SQLSTATE or the driver's code: what the server says of it is in its own language. */
const ADVICE: Readonly<Record<string, string>> = {
  [INSUFFICIENT_PRIVILEGE]:
    'the role needs USAGE on the schema and its sequences, SELECT, INSERT, UPDATE and DELETE on its tables, and CREATE on the schema to migrate: "Roles" in docs/postgres.md has the GRANTs',
  [NO_SCHEMA]:
    'the schema that schema= or search_path= of the database URL names, else the one of the role, does not exist, or the role may not use it: create it (CREATE SCHEMA), or correct the name; "Roles" in docs/postgres.md has the GRANTs',
  '25006': 'it is a standby or set to read only: the database URL must name the primary',
  '53300':
    'raise the limit (max_connections of the server, CONNECTION LIMIT of the role), or lower database.connections',
  '57014':
    'it waited for a lock that another session holds, or took longer than the time limit of a statement',
  ERR_POSTGRES_TLS_NOT_AVAILABLE:
    'switch TLS on in the server (ssl = on); or, if the network between is trusted, let the database URL have sslmode=disable',
}

function adviceOn(error: unknown): string | undefined {
  if (!(error instanceof SQL.PostgresError)) return undefined
  if (LOST_STATEMENTS.has(error.errno ?? '')) {
    return 'the pooler before the database loses prepared statements: add ?prepare=false to the database URL, or use pgbouncer 1.21 or later with max_prepared_statements'
  }
  if (/statement pooling/i.test(error.message)) {
    return 'a pooler before the database must pool sessions or transactions (pool_mode), not statements'
  }
  if (/max_client_conn|max_db_client|max_user_client/.test(error.message)) {
    return 'raise that limit of the pooler before the database, or lower database.connections'
  }
  if (error.message.includes('unsupported startup parameter')) {
    return 'the pooler before the database does not pass this parameter of the database URL on: set it for the role (ALTER ROLE … SET)'
  }
  if (refusesConnection(error) && UNKNOWN_SETTINGS.has(error.errno ?? '')) {
    return 'the database URL has it as a parameter, and hands it to the server'
  }
  if (error.message.endsWith(', no encryption')) {
    return 'where the server takes encrypted connections only, let the database URL have sslmode=require'
  }
  return ADVICE[error.errno ?? error.code]
}
