import { LARGE_BODY_BYTES, bodyWeight } from '../../core/bodyWeight.ts'
import { refuse } from '../../core/error.ts'
import type { KeyId } from '../../core/id.ts'

const RETRY_AFTER_SECONDS = 1

/** So much of large bodies is let go of between two collections of garbage. */
const GARBAGE_BYTES_MAX = 8 * 1024 * 1024

/** A body that finds no room now: a 503, because the caller may try again. */
export const NO_ROOM_FOR_BODY = refuse(
  'service_unavailable',
  'The requests in flight of this key, or of this server, are too large together. Retry when some have ended.',
  { retryAfterSeconds: RETRY_AFTER_SECONDS },
)

/** How many bytes of request bodies may be in flight, from the first byte read to the end of the call; large ones weigh more. */
export interface BodyLimits {
  /** Of all callers together. */
  readonly process: number
  /** Of one key: what it cannot take stays free for the others. */
  readonly key: number
}

/** The bytes of request bodies that this process has in its memory. */
export interface BodyBudget {
  /** A call's own share, empty at first. */
  open(keyId: KeyId): BodyShare
  /** In flight now, by weight. */
  readonly bytes: number
}

export interface BodyShare {
  /** Taken so far: the body's own bytes. */
  readonly bytes: number
  /** Takes room for so many more bytes. False: there is none now, and nothing was taken. */
  take(bytes: number): boolean
  /** Whether a single call may ever be so large. */
  fits(bytes: number): boolean
  /** Gives back everything taken. Repeating it changes nothing. */
  release(): void
}

/**
 * @param limits those in force, asked at each taking
 * @param collectGarbage called when so much of large bodies was let go of that the runtime, left alone, would let
 * the memory grow: it notices large texts late
 */
export function createBodyBudget(limits: () => BodyLimits, collectGarbage: () => void): BodyBudget {
  const keys = new Map<KeyId, number>()
  let total = 0
  let garbage = 0

  function letGoOf(bytes: number): void {
    garbage += bytes
    if (garbage < GARBAGE_BYTES_MAX) return
    garbage = 0
    collectGarbage()
  }

  return {
    get bytes() {
      return total
    },
    open(keyId) {
      let own = 0
      let weight = 0
      return {
        get bytes() {
          return own
        },
        take(bytes) {
          const max = limits()
          const more = bodyWeight(own + bytes) - weight
          const ofKey = (keys.get(keyId) ?? 0) + more
          if (ofKey > max.key || total + more > max.process) return false
          keys.set(keyId, ofKey)
          total += more
          own += bytes
          weight += more
          return true
        },
        fits(bytes) {
          const max = limits()
          return bodyWeight(bytes) <= Math.min(max.key, max.process)
        },
        release() {
          if (weight === 0) return
          const left = (keys.get(keyId) ?? 0) - weight
          if (left > 0) keys.set(keyId, left)
          else keys.delete(keyId)
          total -= weight
          if (own >= LARGE_BODY_BYTES) letGoOf(own)
          own = 0
          weight = 0
        },
      }
    },
  }
}
