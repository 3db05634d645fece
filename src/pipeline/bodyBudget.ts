import { refuse } from '../core/error.ts'
import type { KeyId } from '../core/id.ts'

const RETRY_AFTER_SECONDS = 1

/** A body that finds no room now (rulings, "Validation"). */
export const NO_ROOM_FOR_BODY = refuse(
  'service_unavailable',
  'Too many bytes of requests are in flight, of this key or of this server. Retry when some have ended.',
  { retryAfterSeconds: RETRY_AFTER_SECONDS },
)

/** How many bytes of request bodies may be in flight, from the first byte read to the end of the call. */
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
  /** Bytes in flight now. */
  readonly bytes: number
}

export interface BodyShare {
  /** Takes room for so many more bytes. False: there is none now, and nothing was taken. */
  take(bytes: number): boolean
  /** Whether a single call may ever be so large. */
  fits(bytes: number): boolean
  /** Gives back everything taken. Repeating it changes nothing. */
  release(): void
}

/** @param limits those in force, asked at each taking */
export function createBodyBudget(limits: () => BodyLimits): BodyBudget {
  const keys = new Map<KeyId, number>()
  let total = 0

  return {
    get bytes() {
      return total
    },
    open(keyId) {
      let own = 0
      return {
        take(bytes) {
          const max = limits()
          const ofKey = (keys.get(keyId) ?? 0) + bytes
          if (ofKey > max.key || total + bytes > max.process) return false
          keys.set(keyId, ofKey)
          total += bytes
          own += bytes
          return true
        },
        fits(bytes) {
          const max = limits()
          return bytes <= Math.min(max.key, max.process)
        },
        release() {
          if (own === 0) return
          const left = (keys.get(keyId) ?? 0) - own
          if (left > 0) keys.set(keyId, left)
          else keys.delete(keyId)
          total -= own
          own = 0
        },
      }
    },
  }
}
