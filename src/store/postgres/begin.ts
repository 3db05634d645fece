import type { Statement } from './pool.ts'

/** How long the server lets a statement run, or wait for a lock, in milliseconds. */
export const STATEMENT_TIMEOUT_MS = 5_000
/** When a process stops between its two round trips, the server frees its locks after this, in milliseconds. */
export const IDLE_IN_TRANSACTION_TIMEOUT_MS = 2_000

/**
 * What each transaction begins with: each statement sees what was committed before it, so that what is loaded behind a
 * lock is what the lock guards; and settings that hold for it alone. A pooler keeps no settings of a connection, or
 * gives them to others. They go in the round trip of the first statement.
 */
export function beginning(statementTimeoutMs = STATEMENT_TIMEOUT_MS): readonly Statement[] {
  const settings = {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    // Without it, NULL in a list is read as a word.
    array_nulls: 'on',
  }
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', true) AS ${name}`,
  )
  return [{ text: 'BEGIN ISOLATION LEVEL READ COMMITTED' }, { text: `SELECT ${calls.join(', ')}` }]
}

export const BEGIN = beginning()
export const COMMIT: Statement = { text: 'COMMIT' }
export const ROLLBACK: Statement = { text: 'ROLLBACK' }
