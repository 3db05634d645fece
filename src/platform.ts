import { heapSize } from 'bun:jsc'
import { type IdSource, createIdSource } from './core/id.ts'

/**
 * What a process takes from its machine: time, chance, hashes and memory. Modules are given what they need of it, so that
 * their tests can give them something else.
 */
export interface Platform {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Milliseconds that only ever grow. */
  readonly monotonic: () => number
  /** Resolves after the time, or immediately when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** From 0 up to 1. */
  readonly random: () => number
  readonly ids: IdSource
  /** SHA-256, lowercase hexadecimal. */
  readonly hash: (text: string) => string
  /** Collects garbage: immediately if that takes milliseconds, otherwise while calls go on. */
  readonly collectGarbage: () => void
}

/** @param now another clock than the machine's, for tests */
export function createPlatform(now: () => number = Date.now): Platform {
  return {
    now,
    monotonic: () => performance.now(),
    sleep,
    random: Math.random,
    ids: createIdSource(now, (bytes) => void crypto.getRandomValues(bytes)),
    hash: (text) => Bun.SHA256.hash(text, 'hex'),
    collectGarbage: () => Bun.gc(heapSize() < SMALL_HEAP_BYTES),
  }
}

/** A heap up to this size, much of it texts, is collected within some milliseconds. */
const SMALL_HEAP_BYTES = 512 * 1024 * 1024

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
  })
}
