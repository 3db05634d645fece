import type { UpstreamFailure } from '../../core/failure.ts'
import { type Route, routeName } from '../route.ts'
import type { Breaker } from './breaker.ts'
import type { CircuitChange } from './circuitChange.ts'
import { createBreaker } from './createBreaker.ts'
import type { LastError } from './health.ts'
import { type Latency, createLatency } from './latency.ts'
import { ScopedCooldown } from './scopedCooldown.ts'
import { hashText } from './sticky.ts'

/** Everything remembered of one target: one entry, however many requests go there. */
export interface TargetState {
  /** `openai/gpt-5.5` */
  readonly name: string
  readonly hash: number
  /** Where it was; another address is another target. */
  readonly baseUrl: string
  readonly breaker: Breaker
  readonly cooldown: ScopedCooldown
  /** First event of streamed calls, and the whole answer of the others: never compared with each other. */
  readonly latency: { readonly stream: Latency; readonly whole: Latency }
  /** Milliseconds per generated token. */
  readonly pace: Latency
  /** By credential: those that must not be used at this target only. */
  readonly places: Map<string, ScopedCooldown>
  requests: number
  failures: number
  openCalls: number
  lastError: LastError | undefined
}

export function createTargetState(
  route: Route,
  onCircuitChange: (route: Route, change: CircuitChange) => void,
): TargetState {
  const name = routeName(route)
  return {
    name,
    hash: hashText(name),
    baseUrl: route.provider.provider.baseUrl,
    breaker: createBreaker((change) => onCircuitChange(route, change)),
    cooldown: new ScopedCooldown(),
    latency: { stream: createLatency(), whole: createLatency() },
    pace: createLatency(),
    places: new Map(),
    requests: 0,
    failures: 0,
    openCalls: 0,
    lastError: undefined,
  }
}

export function lastErrorOf({ kind, status, code }: UpstreamFailure, at: number): LastError {
  return { kind, status, code, at }
}
