import type { FailureKind } from '../../core/failure.ts'
import type { Circuit } from './breaker.ts'
import type { Standing } from './credentials.ts'
import type { Percentiles } from './latency.ts'

/** How targets and credentials fare at a moment. Times are in milliseconds since the epoch. */
export interface RoutingHealth {
  readonly targets: readonly TargetHealth[]
  readonly credentials: readonly CredentialHealth[]
}

export interface TargetHealth {
  /** Name of the provider in the configuration. */
  readonly provider: string
  readonly upstreamModel: string
  readonly circuit: Circuit
  /** Whether the target itself is left alone: it is overloaded, or knows no such model. */
  readonly standing: Standing
  /** When it may be called again; undefined: now. */
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

export interface CredentialHealth {
  readonly provider: string
  /** `acme#1` */
  readonly name: string
  readonly standing: Standing
  /** Why it is left alone; undefined when it is not. */
  readonly reason: FailureKind | undefined
  readonly retryAt: number | undefined
}
