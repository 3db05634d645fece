import type { RequestId } from '../../core/id.ts'
import type { Nano } from '../../core/money.ts'
import type { ExtensionVerdict } from '../../core/ports/till.ts'
import type { Caller } from '../authenticate/caller.ts'

/** A request that every gate let through: owns its hold and its slot until it is settled. */
export interface Admitted {
  readonly id: RequestId
  readonly caller: Caller
  readonly startedAt: number
  /** Everything held so far, extensions included. */
  readonly held: Nano
  /** What the call could pay when it was admitted: its hold and all that was free beside it. */
  readonly affordable: Nano
  /** The hold covers the most that the call can cost: it will not have to grow. */
  readonly coversMost: boolean
  /** Grows the hold by an amount, or by what is free of it if that is at least `least`. */
  extend(amount: Nano, least: Nano, at: number): Promise<ExtensionVerdict>
}
