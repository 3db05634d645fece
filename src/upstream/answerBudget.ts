import type { UpstreamFailure } from '../core/failure.ts'

/** What a call keeps below this is not counted: ordinary answers always have room. */
export const UNCOUNTED_BYTES = 64 * 1024
/** A large answer is in memory in several forms at the same time while it is read. */
const LARGE_ANSWER_WEIGHT = 2
/** So much of large answers is released between two collections of garbage. */
const GARBAGE_BYTES_MAX = 8 * 1024 * 1024

/** How a call ends whose answer finds no room. */
export const NO_ROOM: UpstreamFailure = {
  kind: 'no_room',
  detail: 'no room for the answer: server.answers_in_flight',
}

/** The bytes of providers' answers that this process keeps because their frame, or the whole answer, has not ended. */
export interface AnswerBudget {
  /** A call's own share, empty at first. */
  open(): AnswerShare
  /** Kept now, by weight. */
  readonly bytes: number
}

export interface AnswerShare {
  /** The call keeps so many bytes now. False: there is no room for them; the call should end. */
  keep(bytes: number): boolean
  /** The call keeps nothing more. Repeating it changes nothing. */
  release(): void
}

/**
 * @param max the current limit in bytes, asked at each growth
 * @param collectGarbage called when much was released: the runtime notices large texts late
 */
export function createAnswerBudget(max: () => number, collectGarbage: () => void): AnswerBudget {
  let total = 0
  let garbage = 0

  function released(weight: number): void {
    total -= weight
    garbage += weight
    if (garbage < GARBAGE_BYTES_MAX) return
    garbage = 0
    collectGarbage()
  }

  return {
    get bytes() {
      return total
    },
    open() {
      let own = 0
      return {
        keep(bytes) {
          const weight = bytes <= UNCOUNTED_BYTES ? 0 : LARGE_ANSWER_WEIGHT * bytes
          if (weight > own) {
            if (total + weight - own > max()) return false
            total += weight - own
          } else if (weight < own) {
            released(own - weight)
          }
          own = weight
          return true
        },
        release() {
          if (own === 0) return
          released(own)
          own = 0
        },
      }
    },
  }
}
