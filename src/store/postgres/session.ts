import type { ReservedSQL, SQL } from 'bun'

/** One statement of a round trip. */
export interface Statement {
  readonly text: string
  /** For `$1`, `$2`, …; absent: none. */
  readonly values?: readonly unknown[]
}

export type Row = Readonly<Record<string, unknown>>
/** The rows of one statement, its command tag, and how many rows it changed. */
export type Rows = readonly Row[] & { readonly command: string | null; readonly affectedRows: number | null }

/** One connection of the pool, kept from one round trip to the next and replaced when it is lost. */
export interface Session {
  /**
   * Sends all statements at once and waits for all their answers: one round trip, once the connection has prepared
   * them. Throws the first failure; the connection is given up when it does not answer in time.
   */
  send(statements: readonly Statement[]): Promise<readonly Rows[]>
  /** No transaction is open, and none follows at once: a connection that is not the session's own goes back to the pool. */
  rest(): void
  /** Gives the connection up; the next `send` takes a new one. An open transaction is rolled back. */
  reset(): Promise<void>
}

export interface SessionOptions {
  /** How long a round trip may take, in milliseconds. Default: `ROUND_TRIP_TIMEOUT_MS`. */
  readonly timeoutMs?: number
  /** Whether the connection stays the session's own between transactions. Default: true. */
  readonly keeps?: boolean
}

/** How long to wait for a connection, new or of the pool, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 2_000
/**
 * How long a round trip may take, in milliseconds: longer than the server lets a statement run, which leaves the
 * connection in use; this one is for a server that does not even say that.
 */
export const ROUND_TRIP_TIMEOUT_MS = 6_000

export function createSession(
  pool: SQL,
  { timeoutMs = ROUND_TRIP_TIMEOUT_MS, keeps = true }: SessionOptions = {},
): Session {
  let connection: ReservedSQL | undefined

  function giveBack(): ReservedSQL | undefined {
    const last = connection
    connection = undefined
    return last
  }

  return {
    async send(statements) {
      connection ??= await reserve(pool)
      return sendAll(connection, statements, timeoutMs)
    },
    rest() {
      if (keeps) return
      const last = giveBack()
      last?.release().catch(() => last.close({ timeout: 0 }))
    },
    async reset() {
      await giveBack()?.close({ timeout: 0 })
    },
  }
}

/** Takes a connection of the pool; throws when none can be had in time. */
export async function reserve(pool: SQL): Promise<ReservedSQL> {
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS)
  try {
    return await pool.reserve({ signal })
  } catch (error) {
    if (signal.aborted) throw error
    // The pool may have told of an attempt to connect that began before this, when the database was still away.
    return pool.reserve({ signal })
  }
}

/** Sends all statements in one round trip and gives their answers, or throws the first failure. */
export async function sendAll(
  connection: ReservedSQL,
  statements: readonly Statement[],
  timeoutMs = ROUND_TRIP_TIMEOUT_MS,
): Promise<readonly Rows[]> {
  const timer = setTimeout(() => void connection.close({ timeout: 0 }), timeoutMs)
  const answers = await Promise.allSettled(statements.map((statement) => ask(connection, statement)))
  clearTimeout(timer)
  return answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  })
}

/** Bun sends a text alone by the simple protocol, which waits for all answers before it; a template goes with the others. */
function ask(connection: ReservedSQL, { text, values = [] }: Statement): Promise<Rows> {
  if (values.length > 0) return connection.unsafe<Rows>(text, [...values]).execute()
  const template = Object.defineProperty([text], 'raw', { value: [text] })
  return connection<Rows>(template as readonly string[] as TemplateStringsArray).execute()
}
