import type { Connection } from './connection.ts'

/** Idle connections kept per origin; one more answer closes its connection instead. */
export const MAX_IDLE_PER_ORIGIN = 1024
/** Longer than the pause between two calls of a conversation, shorter than most providers' own limit. */
export const IDLE_TIMEOUT_MS = 30_000
/** A peer that says how long it keeps a connection is left before it leaves. */
const KEEP_ALIVE_MARGIN_MS = 1000

/**
 * An origin that sent bytes nobody had asked for gets a fresh connection for every call for so long: on a
 * kept one, each of its answers might be taken for the answer to the next call.
 */
export const DISTRUST_MS = 10 * 60_000

/** The idle connections, by origin; the one used last is used first, so that the surplus ages and goes. */
export class Pool {
  readonly #idle = new Map<string, Connection[]>()
  /** Until when the connections of an origin are not kept. */
  readonly #distrusted = new Map<string, number>()
  readonly #now: () => number
  #size = 0

  /** @param now milliseconds that only ever grow, also without connections */
  constructor(now: () => number) {
    this.#now = now
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
    if (this.#isDistrusted(key)) return connection.retire()
    let stack = this.#idle.get(key)
    if (stack === undefined) this.#idle.set(key, (stack = []))
    const keptFor = Math.min(IDLE_TIMEOUT_MS, (connection.keepAliveMs ?? Infinity) - KEEP_ALIVE_MARGIN_MS)
    if (stack.length >= MAX_IDLE_PER_ORIGIN || keptFor <= 0) return connection.retire()
    connection.rest(keptFor)
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

  /** Keeps no connection of this origin for a while, and closes those that are idle. */
  distrust(originKey: string): void {
    this.#distrusted.set(originKey, this.#now() + DISTRUST_MS)
    retireAll([...(this.#idle.get(originKey) ?? [])])
  }

  /** Closes all of them. */
  clear(): void {
    retireAll([...this.#idle.values()].flat())
  }

  #isDistrusted(originKey: string): boolean {
    const until = this.#distrusted.get(originKey)
    if (until === undefined) return false
    if (this.#now() < until) return true
    this.#distrusted.delete(originKey)
    return false
  }
}

/** @param connections a list of its own: a connection that retires takes itself out of the pool */
function retireAll(connections: readonly Connection[]): void {
  for (const connection of connections) connection.retire()
}
