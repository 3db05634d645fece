import type { Connection, Pool, Rows, Statement } from './pool.ts'

/** One connection of the pool, kept from one round trip to the next and replaced when it is lost. */
export interface Session {
  /** See `Connection`; the session gives up a connection that failed when it is reset. */
  send(statements: readonly Statement[]): Promise<readonly Rows[]>
  /** No transaction is open, and none follows at once: a connection that is not the session's own goes back to the pool. */
  rest(): void
  /** Gives the connection up; the next `send` takes a new one. An open transaction is rolled back. */
  reset(): Promise<void>
}

export interface SessionOptions {
  /** How long a round trip may take, in milliseconds. Default: the pool's. */
  readonly timeoutMs?: number
  /** Whether the connection stays the session's own between transactions. Default: true. */
  readonly keeps?: boolean
}

export function createSession(pool: Pool, { timeoutMs, keeps = true }: SessionOptions = {}): Session {
  let connection: Connection | undefined
  let isResting = true

  function giveUp(): Connection | undefined {
    const last = connection
    connection = undefined
    isResting = true
    return last
  }

  return {
    async send(statements) {
      if (isResting && connection?.isSuspect()) giveUp()?.release()
      isResting = false
      connection ??= await pool.take()
      return connection.send(statements, timeoutMs)
    },
    rest() {
      isResting = true
      if (!keeps) giveUp()?.release()
    },
    async reset() {
      await giveUp()?.close()
    },
  }
}
