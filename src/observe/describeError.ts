import { AssertionError } from '../core/assert.ts'
import { GatewayError } from '../core/error.ts'
import { UpstreamError } from '../core/failure.ts'
import { StoreUnavailable } from '../core/ports/till.ts'

/** An error as the log shows it. */
export interface DescribedError {
  readonly type: string
  /** Only where it is known to repeat nothing of prompts, answers and credentials. */
  readonly message?: string
  readonly code?: string
  /** Of a failed call to a provider. */
  readonly kind?: string
  readonly status?: number
  /** Where it was thrown, the innermost first. */
  readonly stack?: readonly string[]
  readonly cause?: DescribedError
}

/** Causes of causes beyond this depth are left out: errors can be chained into a ring. */
const CAUSES_MAX = 4
const FRAMES_MAX = 12
const FRAME = /^\s+at (?:[\w$.<># [\]-]{1,100} \()?[\w$@.+~/\\:-]{1,300}:\d+:\d+\)?$/
/** Of the system, the runtime or the database: `ECONNREFUSED`, `23505`. */
const CODE = /^[A-Z0-9][A-Z0-9_]{1,60}$/
const NAME = /^[A-Za-z]{1,60}$/
/** PostgreSQL's data exceptions quote the value at fault; its other messages name tables and constraints. */
const POSTGRES_DATA_EXCEPTION = '22'

/**
 * Describes an error by its type, its code and where it was thrown. What an engine or a library says quotes
 * what it worked on (`JSON Parse error: Unexpected identifier "…"`): only messages that hold nothing of the
 * kind are taken over, and no other property.
 */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { type: error === null ? 'null' : typeof error }
  const message = harmlessMessage(error)
  const code = codeOf(error)
  const stack = framesOf(error)
  return {
    type: NAME.test(error.name) ? error.name : 'Error',
    ...(message !== undefined && { message }),
    ...(code !== undefined && { code }),
    ...(error instanceof UpstreamError && {
      kind: error.failure.kind,
      ...(error.failure.status !== undefined && { status: error.failure.status }),
    }),
    ...(stack.length > 0 && { stack }),
    ...(error.cause !== undefined && depth < CAUSES_MAX && { cause: describeError(error.cause, depth + 1) }),
  }
}

function harmlessMessage(error: Error): string | undefined {
  const ours =
    error instanceof AssertionError || error instanceof UpstreamError || error instanceof StoreUnavailable
  if (ours || error.name === 'SQLiteError') return error.message
  if (error.name !== 'PostgresError') return undefined
  return sqlState(error)?.startsWith(POSTGRES_DATA_EXCEPTION) === false ? error.message : undefined
}

function codeOf(error: Error): string | undefined {
  if (error instanceof UpstreamError) return error.failure.code
  if (error instanceof GatewayError) return error.refusal.code
  const code = sqlState(error) ?? ('code' in error ? error.code : undefined)
  return typeof code === 'string' && CODE.test(code) ? code : undefined
}

/** The runtime's client calls it `errno`. */
function sqlState(error: Error): string | undefined {
  const state = error.name === 'PostgresError' && 'errno' in error ? error.errno : undefined
  return typeof state === 'string' && CODE.test(state) ? state : undefined
}

/** The lines of the stack that are places; a message of several lines stands before them. */
function framesOf({ stack = '', message }: Error): string[] {
  const places = message === '' ? stack : stack.replace(message, '')
  return places
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, FRAMES_MAX)
    .map((line) => line.trim())
}
