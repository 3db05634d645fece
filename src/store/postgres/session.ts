import type { ReservedSQL, SQL } from 'bun'

/** One statement of a round trip. */
export interface Statement {
  readonly text: string
  /** For `$1`, `$2`, …; absent: none. */
  readonly values?: readonly unknown[]
}

export type Row = Readonly<Record<string, unknown>>
/** The rows of one statement, and its command tag. */
export type Rows = readonly Row[] & { readonly command: string | null }

/** One connection of the pool, kept from one round trip to the next and replaced when it is lost. */
export interface Session {
  /**
   * Sends all statements at once and waits for all their answers: one round trip. Throws the first
   * failure; the connection is given up when it does not answer in time.
   */
  send(statements: readonly Statement[]): Promise<readonly Rows[]>
  /** Gives the connection up; the next `send` takes a new one. An open transaction is rolled back. */
  reset(): Promise<void>
}

/** How long to wait for a connection, new or of the pool, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 2_000
/** How long the server lets a statement run, or wait for a lock, in milliseconds. */
export const STATEMENT_TIMEOUT_MS = 5_000
/**
 * How long a round trip may take, in milliseconds: longer than `STATEMENT_TIMEOUT_MS`, which leaves the
 * connection in use; this one is for a server that does not even say that.
 */
export const ROUND_TRIP_TIMEOUT_MS = 6_000

export function createSession(pool: SQL, timeoutMs = ROUND_TRIP_TIMEOUT_MS): Session {
  let connection: ReservedSQL | undefined

  return {
    async send(statements) {
      connection ??= await pool.reserve({ signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
      const current = connection
      const timer = setTimeout(() => void current.close({ timeout: 0 }), timeoutMs)
      const answers = await Promise.allSettled(
        statements.map(({ text, values }) =>
          current.unsafe<Row[]>(text, values === undefined ? undefined : [...values]).execute(),
        ),
      )
      clearTimeout(timer)
      return answers.map((answer) => {
        if (answer.status === 'rejected') throw answer.reason
        return answer.value
      })
    },
    async reset() {
      const lost = connection
      connection = undefined
      await lost?.close({ timeout: 0 })
    },
  }
}
