import type { FailureKind } from '../../core/failure.ts'
import type { Block } from './block.ts'
import type { CircuitState } from './circuit.ts'
import type { Percentiles } from './latency.ts'

/** How targets and credentials fare at a moment. Times are in milliseconds since the epoch. */
export interface RoutingHealth {
  readonly targets: readonly TargetHealth[]
  /** Everything that is not used now, or only as the last choice, by everyone or by some workspaces. */
  readonly blocks: readonly Block[]
}

export interface TargetHealth {
  /** Name of the provider in the configuration. */
  readonly provider: string
  readonly upstreamModel: string
  /** For everyone. `open_for_some`: closed for everyone, but open for some workspaces. */
  readonly circuit: CircuitState | 'open_for_some'
  /** When everyone may call it again; undefined: now, but for the workspaces in `blocks`. */
  readonly retryAt: number | undefined
  /** Calls since the start, and those that failed for whatever reason. */
  readonly requests: number
  readonly failures: number
  readonly openCalls: number
  /** Of the last minute: calls that prove whether the target works, and those that proved it does not. */
  readonly recent: { readonly calls: number; readonly failures: number }
  /** Until the first event of a streamed answer. */
  readonly firstEventMs: Percentiles | undefined
  readonly lastError: LastError | undefined
}

export interface LastError {
  readonly kind: FailureKind
  readonly status: number | undefined
  /** What the provider calls the error; its words are not kept. */
  readonly code: string | undefined
  readonly at: number
}
