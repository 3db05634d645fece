import type { UpstreamFailure } from '../../core/failure.ts'
import type { Credential } from '../../providers/configured.ts'
import { type Route, routeName } from '../route.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { type Parking, createParking } from './credentials.ts'
import type { LastError } from './health.ts'
import { type Latency, createLatency } from './latency.ts'
import { type Speed, createSpeed } from './speed.ts'
import { hashText } from './sticky.ts'

/** Everything remembered of one target: one entry, however many requests go there. */
export interface TargetState {
  /** `openai/gpt-5.5` */
  readonly name: string
  readonly hash: number
  /** Where it was; another address is another target. */
  readonly baseUrl: string
  readonly breaker: Breaker
  readonly parking: Parking
  /** First event of streamed calls, and the whole answer of the others: never compared with each other. */
  readonly latency: { readonly stream: Latency; readonly whole: Latency }
  /** Milliseconds per generated token. */
  readonly pace: Latency
  /** To charge by: of longer answers, kept for as long as the process lives. */
  readonly speed: Speed
  /** By credential: those that must be left alone at this target only. */
  readonly places: Map<string, Parking>
  requests: number
  failures: number
  openCalls: number
  lastError: LastError | undefined
}

export function createTargetState(route: Route): TargetState {
  const name = routeName(route)
  return {
    name,
    hash: hashText(name),
    baseUrl: route.provider.provider.baseUrl,
    breaker: createBreaker(),
    parking: createParking(),
    latency: { stream: createLatency(), whole: createLatency() },
    pace: createLatency(),
    speed: createSpeed(),
    places: new Map(),
    requests: 0,
    failures: 0,
    openCalls: 0,
    lastError: undefined,
  }
}

/** A credential at a target, with both reasons to leave it alone. */
export interface Seat {
  readonly credential: Credential | undefined
  readonly everywhere: Parking
  readonly here: Parking
}

/** The state of a credential is kept for as long as the secret is the same, whatever its place in the list. */
export function credentialKey(provider: string, credential: Credential | undefined): string {
  if (!credential) return provider
  const { name: _, ...secret } = credential
  return `${provider} ${JSON.stringify(secret)}`
}

export function lastErrorOf({ kind, status, code }: UpstreamFailure, at: number): LastError {
  return { kind, status, code, at }
}

/** The parking of a key, made when it is first asked for. */
export function parkingIn(parkings: Map<string, Parking>, key: string): Parking {
  let parking = parkings.get(key)
  if (!parking) {
    parking = createParking()
    parkings.set(key, parking)
  }
  return parking
}
