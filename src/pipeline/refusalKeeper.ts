import type { Refusal } from '../core/error.ts'
import type { KeyId } from '../core/id.ts'
import type { RefusalCount, RefusedCall, Refusals } from '../core/ports/refusals.ts'
import { StoreUnavailable } from '../core/ports/till.ts'
import { KEPT_PER_KEY, dayOf, describeRefusal } from '../core/refusedCalls.ts'
import type { Veil } from '../core/veil.ts'
import type { Exchange } from './reply.ts'

/** Refused calls that wait to be stored; of a key that has none among them no further one waits. Some kilobytes each, at most. */
export const WAITING_CALLS_MAX = 1_000
/** Keys, with a code and a day each, that are counted at once; what is refused to further ones is lost. */
export const WAITING_COUNTS_MAX = 10_000
/** What one step of the store takes: calls of other things wait for it. */
const ROWS_PER_STEP = 100

/** Refused calls on their way to the store: no answer ever waits for it. */
export interface RefusalKeeper {
  /**
   * Calls without a key are no one's; those that own a hold have a usage record.
   *
   * @param address where the call came from; asked only for what is kept
   */
  refused(exchange: Exchange, refusal: Refusal, address: () => string | null): void
  /** Stores what has come together. Throws what the store threw: then what it did not take is lost. */
  flush(): Promise<void>
}

export interface RefusalKeeperDeps {
  readonly refusals: Pick<Refusals, 'count' | 'keep'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Hides what opens the door: a caller may send it in the place of a model's name. */
  readonly veil: Veil
  /** Hears of refused calls of which the store knows nothing. */
  readonly onLost: (count: number) => void
}

export function createRefusalKeeper({ refusals, now, onLost, veil }: RefusalKeeperDeps): RefusalKeeper {
  let counts = new Map<string, RefusalCount>()
  /** The newest of each key, oldest first. */
  let rings = new Map<KeyId, RefusedCall[]>()
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  /** False: so much is counted already that it is lost. */
  function count(keyId: KeyId, { code }: Refusal, at: number): boolean {
    const day = dayOf(at)
    const place = `${keyId} ${day} ${code}`
    const known = counts.get(place)
    if (!known && counts.size >= WAITING_COUNTS_MAX) return false
    counts.set(place, { keyId, day, code, refused: 1 + (known?.refused ?? 0) })
    return true
  }

  /** The array to which a call of the key is added; undefined: there is no room. */
  function roomFor(keyId: KeyId): RefusedCall[] | undefined {
    const ring = rings.get(keyId)
    if (ring && (ring.length >= KEPT_PER_KEY || waiting >= WAITING_CALLS_MAX)) {
      ring.shift()
      return ring
    }
    if (waiting >= WAITING_CALLS_MAX) return undefined
    waiting++
    if (ring) return ring
    const fresh: RefusedCall[] = []
    rings.set(keyId, fresh)
    return fresh
  }

  async function store(): Promise<void> {
    const counted = [...counts.values()]
    const calls = [...rings.values()].flat()
    counts = new Map()
    rings = new Map()
    waiting = 0
    const steps = [
      ...inSteps(
        counted,
        (some) => refusals.count(some),
        (some) => onLost(sumOf(some)),
      ),
      ...inSteps(
        calls,
        (some) => refusals.keep(some),
        () => undefined,
      ),
    ]
    let failure: { readonly error: unknown } | undefined
    for (const step of steps) {
      try {
        // One after the other: however many keys there are, calls go on in between.
        if (!(failure?.error instanceof StoreUnavailable)) {
          await step.run()
          continue
        }
      } catch (error) {
        failure ??= { error }
      }
      step.lost()
    }
    if (failure) throw failure.error
  }

  return {
    refused(exchange, refusal, address) {
      const { caller } = exchange
      if (!caller || exchange.holds) return
      const keyId = caller.key.id
      const at = now()
      if (!count(keyId, refusal, at)) {
        onLost(1)
        return
      }
      roomFor(keyId)?.push({
        id: exchange.id,
        workspaceId: caller.workspace.id,
        keyId,
        at,
        ...describeRefusal(refusal, { model: exchange.model, address: address() }, veil),
      })
    },

    flush() {
      const next = last.then(store)
      last = next.catch(() => undefined)
      return next
    },
  }
}

interface Step {
  readonly run: () => Promise<void>
  readonly lost: () => void
}

function inSteps<Row>(
  rows: readonly Row[],
  run: (some: readonly Row[]) => Promise<void>,
  lost: (some: readonly Row[]) => void,
): Step[] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_PER_STEP) }, (_, step) => {
    const some = rows.slice(step * ROWS_PER_STEP, (step + 1) * ROWS_PER_STEP)
    return { run: () => run(some), lost: () => lost(some) }
  })
}

function sumOf(counts: readonly RefusalCount[]): number {
  return counts.reduce((sum, { refused }) => sum + refused, 0)
}
