import type { Refusal } from '../core/error.ts'
import type { KeyId } from '../core/id.ts'
import type { RefusedCall, RefusedOfKey, Refusals } from '../core/ports/refusals.ts'
import { StoreUnavailable } from '../core/ports/till.ts'
import { KEPT_PER_MINUTE, describeRefusal, minuteOf } from '../core/refusedCalls.ts'
import type { Exchange } from './reply.ts'

/** Refused calls that wait to be stored; further ones are only counted. Some kilobytes each, at most. */
export const WAITING_CALLS_MAX = 2_000
/** Keys whose refusals are counted at once; those of further ones are lost. */
export const COUNTED_KEYS_MAX = 10_000
/** What one step of the store takes, at least, where there is so much: calls of other things wait for it. */
const CALLS_PER_STEP = 100
const KEYS_PER_STEP = 100

/** Refused calls on their way to the store: no answer ever waits for it. */
export interface RefusalKeeper {
  /**
   * Decides at once whether the call is kept: where it is not, that costs next to nothing. Calls without a key are no
   * one's; those that own a hold have a usage record.
   *
   * @param address where the call came from; asked only for what is kept
   */
  refused(exchange: Exchange, refusal: Refusal, address: () => string | null): void
  /** Stores what has come together. Throws what the store threw: then what it did not take is lost. */
  flush(): Promise<void>
}

export interface RefusalKeeperDeps {
  readonly refusals: Pick<Refusals, 'keep'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Hears of refused calls of which the store knows nothing. */
  readonly onLost: (count: number) => void
}

/** What came of one key since the last time. */
interface Gathered {
  minute: number
  /** Of that minute, in this process. */
  kept: number
  at: number
  refused: number
  calls: RefusedCall[]
}

export function createRefusalKeeper({ refusals, now, onLost }: RefusalKeeperDeps): RefusalKeeper {
  const keys = new Map<KeyId, Gathered>()
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  function gatheredOf(key: KeyId): Gathered | undefined {
    const known = keys.get(key)
    if (known) return known
    if (keys.size >= COUNTED_KEYS_MAX) return undefined
    const fresh: Gathered = { minute: 0, kept: 0, at: 0, refused: 0, calls: [] }
    keys.set(key, fresh)
    return fresh
  }

  /** What has come together; keys that are quiet are forgotten when their minute is over. */
  function take(): RefusedOfKey[] {
    const taken: RefusedOfKey[] = []
    const thisMinute = minuteOf(now())
    for (const [keyId, gathered] of keys) {
      const { at, refused, calls } = gathered
      if (refused > 0) {
        taken.push({ keyId, at, refused, calls })
        gathered.refused = 0
        gathered.calls = []
      } else if (gathered.minute !== thisMinute) {
        keys.delete(keyId)
      }
    }
    waiting = 0
    return taken
  }

  async function store(): Promise<void> {
    const steps = stepsOf(take())
    let failure: { readonly error: unknown } | undefined
    for (const step of steps) {
      try {
        // One after the other: however many keys there are, calls go on in between.
        if (!(failure?.error instanceof StoreUnavailable)) {
          await refusals.keep(step)
          continue
        }
      } catch (error) {
        failure ??= { error }
      }
      onLost(step.reduce((sum, { refused }) => sum + refused, 0))
    }
    if (failure) throw failure.error
  }

  return {
    refused(exchange, refusal, address) {
      const { caller } = exchange
      if (!caller || exchange.holds) return
      const gathered = gatheredOf(caller.key.id)
      if (!gathered) {
        onLost(1)
        return
      }
      const at = now()
      gathered.at = at
      gathered.refused++
      const minute = minuteOf(at)
      if (minute !== gathered.minute) {
        gathered.minute = minute
        gathered.kept = 0
      }
      if (gathered.kept >= KEPT_PER_MINUTE || waiting >= WAITING_CALLS_MAX) return
      gathered.kept++
      waiting++
      gathered.calls.push({
        id: exchange.id,
        workspaceId: caller.workspace.id,
        keyId: caller.key.id,
        at,
        ...describeRefusal(refusal, { model: exchange.model, address: address() }),
      })
    },

    flush() {
      const next = last.then(store)
      last = next.catch(() => undefined)
      return next
    },
  }
}

/** Parts of a bounded size. */
function stepsOf(all: readonly RefusedOfKey[]): RefusedOfKey[][] {
  const steps: RefusedOfKey[][] = []
  let step: RefusedOfKey[] = []
  let calls = 0
  for (const ofKey of all) {
    step.push(ofKey)
    calls += ofKey.calls.length
    if (calls < CALLS_PER_STEP && step.length < KEYS_PER_STEP) continue
    steps.push(step)
    step = []
    calls = 0
  }
  return step.length > 0 ? [...steps, step] : steps
}
