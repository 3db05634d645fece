import { LARGE_BODY_BYTES, SMALL_BODY_BYTES, bodyWeight } from '../../core/bodyWeight.ts'
import { refuse } from '../../core/error.ts'
import { createGarbageCount } from '../../core/garbageCount.ts'
import type { KeyId, WorkspaceId } from '../../core/id.ts'
import { createSharedRoom } from '../../core/sharedRoom.ts'
import { Tally } from '../../core/tally.ts'

const RETRY_AFTER_SECONDS = 1

/** So many bytes of small bodies fit beside all others. */
export const SMALL_BODIES_BYTES = 16 * 1024 * 1024

/** A body that finds no room now: a 503, because the caller may try again. */
export const NO_ROOM_FOR_BODY = refuse(
  'service_unavailable',
  'The requests in flight of this key, of its workspace, or of this server, are too large together. Retry when some have ended.',
  { retryAfterSeconds: RETRY_AFTER_SECONDS },
)

/** How many bytes of request bodies may be in flight, from the first byte read to the end of the call; large ones weigh more. */
export interface BodyLimits {
  /** Of all callers together. */
  readonly process: number
  /** Of one workspace: what it cannot take stays free for the others, however many keys it has. */
  readonly workspace: number
  /** Of one key. */
  readonly key: number
}

/** Whose body it is. */
export interface BodyOwner {
  readonly keyId: KeyId
  readonly workspaceId: WorkspaceId
}

/** The bytes of request bodies that this process has in its memory. */
export interface BodyBudget {
  /** A call's own share, empty at first. */
  open(owner: BodyOwner): BodyShare
  /** In flight now, by weight. */
  readonly bytes: number
}

export interface BodyShare {
  /** Taken so far: the body's own bytes. */
  readonly bytes: number
  /** Takes room for so many more bytes. False: there is none now, and nothing was taken. */
  take(bytes: number): boolean
  /** Whether there is room for so many more bytes now. */
  hasRoom(bytes: number): boolean
  /** Whether a single call may ever be so large. */
  fits(bytes: number): boolean
  /** Gives back everything taken. Repeating it changes nothing. */
  release(): void
}

/**
 * Small bodies take room that is kept for them, and where that is used up the room of all. A body that outgrows them moves.
 *
 * @param limits those in force, asked at each taking
 * @param collectGarbage see `createGarbageCount`
 * @param smallBytesMax default: 16 MiB
 */
export function createBodyBudget(
  limits: () => BodyLimits,
  collectGarbage: () => void,
  smallBytesMax: number = SMALL_BODIES_BYTES,
): BodyBudget {
  const small = createSharedRoom(() => smallBytesMax)
  const keys = new Tally<KeyId>()
  const workspaces = new Tally<WorkspaceId>()
  const letGoOf = createGarbageCount(collectGarbage)

  function add({ keyId, workspaceId }: BodyOwner, weight: number): void {
    keys.add(keyId, weight)
    workspaces.add(workspaceId, weight)
  }

  function openShare(owner: BodyOwner): BodyShare {
    const { keyId, workspaceId } = owner
    let own = 0
    /** Of it in the room that is kept for small bodies, and what it weighs in the room of all: one of them is 0. */
    let kept = 0
    let weight = 0

    function fitsSmall(bytes: number): boolean {
      return weight === 0 && own + bytes <= SMALL_BODY_BYTES && small.hasRoom(workspaceId, bytes)
    }

    function fitsAll(bytes: number): boolean {
      const max = limits()
      const more = bodyWeight(own + bytes) - weight
      return (
        keys.of(keyId) + more <= max.key &&
        workspaces.of(workspaceId) + more <= max.workspace &&
        keys.total + more <= max.process
      )
    }

    function giveBackKept(): void {
      small.giveBack(workspaceId, kept)
      kept = 0
    }

    return {
      get bytes() {
        return own
      },
      take(bytes) {
        if (fitsSmall(bytes)) {
          small.take(workspaceId, bytes)
          kept += bytes
        } else if (fitsAll(bytes)) {
          const more = bodyWeight(own + bytes) - weight
          add(owner, more)
          weight += more
          giveBackKept()
        } else return false
        own += bytes
        return true
      },
      hasRoom: (bytes) => fitsSmall(bytes) || fitsAll(bytes),
      fits(bytes) {
        const { key, workspace, process } = limits()
        return bodyWeight(bytes) <= Math.min(key, workspace, process)
      },
      release() {
        add(owner, -weight)
        giveBackKept()
        if (own >= LARGE_BODY_BYTES) letGoOf(own)
        own = 0
        weight = 0
      },
    }
  }

  return {
    get bytes() {
      return keys.total + small.bytes
    },
    open: openShare,
  }
}
