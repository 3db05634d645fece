import type { UpstreamFailure } from '../core/failure.ts'
import { createGarbageCount } from '../core/garbageCount.ts'
import type { WorkspaceId } from '../core/id.ts'
import { type SharedRoom, createSharedRoom } from '../core/sharedRoom.ts'

/** What a call keeps below this is not counted: ordinary answers always have room. */
export const UNCOUNTED_BYTES = 64 * 1024
/**
 * An answer up to this size is small: there is room that only such answers take. It holds the largest text that is asked
 * whole, with the log probability of each token, and most answers that reason at length.
 */
export const SMALL_ANSWER_BYTES = 256 * 1024
/** So many bytes of small answers, by weight, fit beside all others. */
export const SMALL_ANSWERS_BYTES = 32 * 1024 * 1024
/** A large answer is in memory in several forms at the same time while it is read. */
const ANSWER_WEIGHT = 2

/** How a call ends whose answer finds no room because the answers of other workspaces take it. */
export const NO_ROOM: UpstreamFailure = {
  kind: 'no_room',
  detail: 'no room for the answer: server.answers_in_flight',
}

/** How a call ends whose answer finds no room because of its own workspace's answers, itself among them. */
export const NO_SHARE: UpstreamFailure = {
  kind: 'no_share',
  detail: "no room for the answer in its workspace's share of server.answers_in_flight",
}

/** The bytes of providers' answers that this process keeps because their frame, or the whole answer, has not ended. */
export interface AnswerBudget {
  /** A call's own share, empty at first. */
  open(workspaceId: WorkspaceId): AnswerShare
  /** Kept now, by weight. */
  readonly bytes: number
}

export interface AnswerShare {
  /** The call keeps so many bytes now. Gives why there is no room for them: then the call should end. */
  keep(bytes: number): UpstreamFailure | undefined
  /** The call keeps nothing more. Repeating it changes nothing. */
  release(): void
}

/**
 * Small answers take room that is kept for them, and where that is used up the room of all. One that outgrows them moves.
 * Of each room a workspace has its share (`createSharedRoom`).
 *
 * @param max the current limit in bytes, asked at each growth
 * @param collectGarbage see `createGarbageCount`
 * @param smallBytesMax default: 32 MiB
 */
export function createAnswerBudget(
  max: () => number,
  collectGarbage: () => void,
  smallBytesMax: number = SMALL_ANSWERS_BYTES,
): AnswerBudget {
  const small = createSharedRoom(() => smallBytesMax)
  const all = createSharedRoom(max)
  const released = createGarbageCount(collectGarbage)

  /** Why an answer of this weight found no room: what it had of the room of all is in `all` still. */
  function reasonFor(workspaceId: WorkspaceId, weight: number): UpstreamFailure {
    const ofOthers = all.bytes - all.of(workspaceId)
    const fitsAlone = 2 * weight <= max()
    const fitsBesideOthers = 2 * weight <= max() - ofOthers
    return fitsAlone && !fitsBesideOthers ? NO_ROOM : NO_SHARE
  }

  return {
    get bytes() {
      return all.bytes + small.bytes
    },
    open(workspaceId) {
      let room: SharedRoom = small
      let own = 0

      function leave(): void {
        room.giveBack(workspaceId, own)
        room = small
        own = 0
      }

      function grow(weight: number, isSmall: boolean): UpstreamFailure | undefined {
        const fitsSmall = isSmall && room === small && small.hasRoom(workspaceId, weight - own)
        if (!fitsSmall) {
          const more = room === all ? weight - own : weight
          if (!all.hasRoom(workspaceId, more)) return reasonFor(workspaceId, weight)
          if (room === small) leave()
          room = all
        }
        room.take(workspaceId, weight - own)
        own = weight
        return undefined
      }

      return {
        keep(bytes) {
          const weight = bytes <= UNCOUNTED_BYTES ? 0 : ANSWER_WEIGHT * bytes
          if (weight > own) return grow(weight, bytes <= SMALL_ANSWER_BYTES)
          if (weight < own) {
            released(own - weight)
            if (weight === 0) leave()
            else room.giveBack(workspaceId, own - weight)
            own = weight
          }
          return undefined
        },
        release() {
          if (own === 0) return
          released(own)
          leave()
        },
      }
    },
  }
}
