import type { Connection } from './connection.ts'
import type { Deadlines } from './deadlines.ts'

/** Idle connections kept per origin; one more answer closes its connection instead. */
export const MAX_IDLE_PER_ORIGIN = 1024
/** Longer than the pause between two calls of a conversation, shorter than most providers' own limit. */
export const IDLE_TIMEOUT_MS = 30_000
/** A peer that says how long it keeps a connection is left before it leaves. */
const KEEP_ALIVE_MARGIN_MS = 1000

/** The idle connections, by origin; the one used last is used first, so that the surplus ages and goes. */
export class Pool {
  readonly #idle = new Map<string, Connection[]>()
  readonly #deadlines: Deadlines
  #size = 0

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines
  }

  get size(): number {
    return this.#size
  }

  take(originKey: string): Connection | undefined {
    const connection = this.#idle.get(originKey)?.pop()
    if (connection) this.#size--
    return connection
  }

  put(connection: Connection): void {
    const key = connection.origin.key
    let stack = this.#idle.get(key)
    if (stack === undefined) this.#idle.set(key, (stack = []))
    const keptFor = Math.min(IDLE_TIMEOUT_MS, (connection.keepAliveMs ?? Infinity) - KEEP_ALIVE_MARGIN_MS)
    if (stack.length >= MAX_IDLE_PER_ORIGIN || keptFor <= 0) return connection.retire()
    connection.idleSince = this.#deadlines.now
    connection.expiresAt = this.#deadlines.in(keptFor)
    stack.push(connection)
    this.#size++
  }

  remove(connection: Connection): void {
    const stack = this.#idle.get(connection.origin.key)
    const index = stack?.lastIndexOf(connection) ?? -1
    if (stack === undefined || index === -1) return
    stack.splice(index, 1)
    this.#size--
    if (stack.length === 0) this.#idle.delete(connection.origin.key)
  }

  /** Closes all of them. */
  clear(): void {
    // A connection that retires takes itself out of the pool.
    const all = [...this.#idle.values()].flat()
    for (const connection of all) connection.retire()
  }
}
