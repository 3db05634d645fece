import type { EventStream } from '../../upstream/eventStream.ts'
import type { Growth } from './extend.ts'
import type { Meter } from './meter.ts'

/** Where only holds of other calls are in the way, a growth is asked for again for so long, with the provider paused. */
const OTHERS_PATIENCE_MS = 5_000
/** An extension smaller than this buys nothing worth having. */
const EXTENSION_TOKENS_MIN = 16

export interface GrowingOptions {
  readonly meter: Meter
  readonly stream: Pick<EventStream, 'pause'>
  /** Asks the till to let the hold grow by so many tokens, or by what is free of them if that is at least `least`. */
  readonly extend: (tokens: number, least: number) => Promise<Growth>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** The hold covers all that came. */
  readonly onCovered: () => void
  /** The hold does not cover what came, and will not. */
  readonly onUncovered: () => void
  readonly onBroken: (cause: unknown) => void
}

/** The hold of an answer on its way, which grows as it comes. */
export interface Growing {
  /** Lets the hold grow where the meter wants it. The provider is paused while more has come than the hold covers. */
  ask(): void
  /** To be called about once a second: what was refused may be asked for again. */
  tick(): void
  /** Whether the answer waits for other calls to give back what they hold. */
  readonly isHeldUp: boolean
  /** Asks for nothing any more, and calls no one. */
  stop(): void
}

export function createGrowing(options: GrowingOptions): Growing {
  const { meter, stream } = options
  let asking = false
  /** An extension was refused: not asked for again before the next tick, or before more comes than the hold covers. */
  let refused = false
  let stopped = false
  let heldUpSince: number | undefined

  function ask(): void {
    const exhausted = meter.exhausted()
    if (exhausted) stream.pause()
    if (asking || (refused && !exhausted)) return
    const wanted = meter.wanted()
    if (wanted === 0) return
    asking = true
    options
      .extend(wanted, Math.min(wanted, EXTENSION_TOKENS_MIN))
      .then((growth) => grown(growth, exhausted))
      .catch(options.onBroken)
  }

  /** @param waited whether the stream was stopped until the hold has grown */
  function grown({ tokens, heldByOthers }: Growth, waited: boolean): void {
    asking = false
    refused = tokens === 0
    meter.covers(tokens)
    if (stopped) return
    if (!meter.exhausted()) {
      heldUpSince = undefined
      options.onCovered()
    } else if (tokens === 0 && waited) {
      // The others may end soon: the next tick asks again.
      heldUpSince ??= options.now()
      if (!heldByOthers || options.now() - heldUpSince >= OTHERS_PATIENCE_MS) options.onUncovered()
    } else {
      ask()
    }
  }

  return {
    ask,
    tick() {
      refused = false
      if (heldUpSince !== undefined) ask()
    },
    get isHeldUp() {
      return heldUpSince !== undefined
    },
    stop: () => void (stopped = true),
  }
}
