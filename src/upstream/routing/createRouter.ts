import type { ChatRequest } from '../../core/chat/request.ts'
import type { FailureKind } from '../../core/failure.ts'
import { type Route, routeName } from '../route.ts'
import type { AnswerMode, RoutedCall, Router, Tried } from '../router.ts'
import { type Circuit, REFUSED } from './breaker.ts'
import { type Cooling, type Parking, type Standing, effectOf } from './credentials.ts'
import type { CredentialHealth, RoutingHealth, TargetHealth } from './health.ts'
import { type Candidate, orderByOf, orderTargets } from './order.ts'
import { hashText } from './sticky.ts'
import {
  type Seat,
  type TargetState,
  createTargetState,
  credentialKey,
  lastErrorOf,
  parkingIn,
} from './targetState.ts'

/** Answers shorter than this say little about how fast a target generates. */
const PACE_TOKENS_MIN = 16

export interface RouterDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** From 0 up to 1. */
  readonly random: () => number
  /** Hears what an operator should know. Must not throw. */
  readonly events?: RouterEvents
}

export interface RouterEvents {
  circuitChanged(target: string, circuit: Circuit): void
  /** A credential is refused or unpaid, or limited by the wait the provider asked for. */
  credentialParked(credential: string, target: string, reason: FailureKind, until: number): void
}

/** A route with everything remembered of it, found without building a name. */
interface Known {
  readonly state: TargetState
  readonly seats: readonly Seat[]
}

/** The router of a process. Its memory is one entry per target, per credential, and per both together. */
export function createRouter({ now, random, events }: RouterDeps): Router {
  const targets = new Map<string, TargetState>()
  const credentials = new Map<string, Parking>()
  /** Calls under way keep what they began with, also when a reload has replaced their route. */
  const knownRoutes = new WeakMap<Route, Known>()
  /** Of the configuration in force, for the health view. */
  let routesInForce: readonly Route[] = []

  function knownOf(route: Route): Known {
    const found = knownRoutes.get(route)
    if (found) return found
    const known = { state: stateOf(route), seats: seatsOf(route) }
    knownRoutes.set(route, known)
    return known
  }

  function stateOf(route: Route): TargetState {
    const name = routeName(route)
    const found = targets.get(name)
    if (found && found.baseUrl === route.provider.provider.baseUrl) return found
    const fresh = createTargetState(route)
    targets.set(name, fresh)
    return fresh
  }

  function seatsOf(route: Route): Seat[] {
    const state = stateOf(route)
    const { name, credentials: own } = route.provider
    return (own.length === 0 ? [undefined] : own).map((credential) => {
      const key = credentialKey(name, credential)
      return {
        credential,
        everywhere: parkingIn(credentials, key),
        here: parkingIn(state.places, key),
      }
    })
  }

  function seatOf(call: RoutedCall): Seat | undefined {
    return knownOf(call.route).seats.find(({ credential }) => credential === call.credential)
  }

  /** The first credential that is ready, else the first that is not parked. */
  function freeSeat(seats: readonly Seat[], at: number, tried: Tried | undefined): Seat | undefined {
    let lastChoice: Seat | undefined
    for (const seat of seats) {
      if (tried?.has(seat.credential)) continue
      const standing = standingOf(seat, at)
      if (standing === 'ready') return seat
      if (standing === 'last_choice') lastChoice ??= seat
    }
    return lastChoice
  }

  function enter(route: Route, seat: Seat, mode: AnswerMode, at: number): RoutedCall | undefined {
    const { state } = knownOf(route)
    const before = events && state.breaker.circuit(at)
    const pass = state.breaker.enter(at)
    if (pass === REFUSED) return undefined
    if (before === 'half_open') events?.circuitChanged(state.name, 'half_open')
    state.requests += 1
    state.openCalls += 1
    return { route, credential: seat.credential, mode, pass }
  }

  /** Tells of a change of the circuit that `change` makes. */
  function watched(state: TargetState, at: number, change: () => void): void {
    if (!events) {
      change()
      return
    }
    const before = state.breaker.circuit(at)
    change()
    const after = state.breaker.circuit(at)
    if (after !== before) events.circuitChanged(state.name, after)
  }

  function cool(call: RoutedCall, state: TargetState, cooling: Cooling, kind: FailureKind, at: number): void {
    const seat = seatOf(call)
    const parking =
      cooling.on === 'target' ? state.parking : cooling.on === 'place' ? seat?.here : seat?.everywhere
    if (!parking) return
    const wasParked = parking.standing(at) === 'parked'
    parking.cool(cooling, kind, at)
    if (!events || wasParked || !cooling.firm || !call.credential || cooling.on === 'target') return
    events.credentialParked(call.credential.name, state.name, kind, parking.until(at) ?? at)
  }

  function candidateOf(route: Route, request: ChatRequest, mode: AnswerMode, at: number): Candidate {
    const { state, seats } = knownOf(route)
    const latency = request.routing?.sort === 'throughput' ? state.pace : state.latency[mode]
    return {
      target: route.target,
      hash: state.hash,
      standing: standingOfTarget(state, seats, at),
      measure: latency.typical(at),
      busy: state.openCalls > 0,
    }
  }

  function orderModel(routes: readonly Route[], request: ChatRequest, mode: AnswerMode): readonly Route[] {
    const [first] = routes
    const { routing } = request
    const onlyFirst = routing?.allowFallbacks === false && routing.order === undefined
    if (!first || routes.length === 1) return routes
    const at = now()
    const by = orderByOf(first.model.strategy, routing?.sort)
    const key = request.promptCacheKey ?? request.user
    const candidates = routes.map((route) => candidateOf(route, request, mode, at))
    const order = orderTargets(candidates, {
      by,
      key: key === undefined ? undefined : hashText(key),
      random,
      ...(routing?.order && { preferred: routing.order }),
      onlyFirst,
    })
    return order.flatMap((index) => routes[index] ?? [])
  }

  return {
    order(routes, request, mode) {
      if (routes.length < 2) return routes
      const model = routes[0]?.model
      if (routes.every((route) => route.model === model)) return orderModel(routes, request, mode)
      return byModel(routes).flatMap((group) => orderModel(group, request, mode))
    },
    begin(route, mode, tried) {
      const at = now()
      const { state, seats } = knownOf(route)
      if (state.parking.standing(at) === 'parked') return undefined
      const seat = freeSeat(seats, at, tried)
      return seat && enter(route, seat, mode, at)
    },
    again(call) {
      const seat = seatOf(call)
      return seat && enter(call.route, seat, call.mode, now())
    },
    answered(call, firstEventMs) {
      const at = now()
      const { state } = knownOf(call.route)
      state.openCalls -= 1
      state.latency[call.mode].record(firstEventMs, at)
      state.parking.clear()
      const seat = seatOf(call)
      seat?.everywhere.clear()
      seat?.here.clear()
      watched(state, at, () => state.breaker.answered(call.pass, at))
    },
    failed(call, failure) {
      const at = now()
      const { state } = knownOf(call.route)
      state.openCalls -= 1
      state.failures += 1
      state.lastError = lastErrorOf(failure, at)
      const effect = effectOf(failure)
      watched(state, at, () => {
        if (effect.on === 'circuit') state.breaker.struck(call.pass, at)
        else if (effect.on === 'request') state.breaker.answered(call.pass, at)
        else state.breaker.released(call.pass)
      })
      if (effect.on !== 'circuit' && effect.on !== 'request') cool(call, state, effect, failure.kind, at)
    },
    abandoned(call) {
      const { state } = knownOf(call.route)
      state.openCalls -= 1
      state.breaker.released(call.pass)
    },
    ended(route, { failure, whole, outputTokens, reported, durationMs }) {
      const at = now()
      const { state } = knownOf(route)
      if (failure) {
        state.failures += 1
        state.lastError = lastErrorOf(failure, at)
        // A prompt can make a model fail: that must not take the target from everybody.
        if (effectOf(failure).on !== 'request') watched(state, at, () => state.breaker.brokeOff(at))
      } else if (whole) {
        state.breaker.completed()
        if (outputTokens >= PACE_TOKENS_MIN) state.pace.record(durationMs / outputTokens, at)
        if (reported) state.speed.record(outputTokens, durationMs)
      }
    },
    speedOf: (route) => knownOf(route).state.speed.perSecond(),
    hasOtherCredential(route, tried) {
      const at = now()
      return knownOf(route).seats.some(
        (seat) => !tried.has(seat.credential) && standingOf(seat, at) === 'ready',
      )
    },
    availability(routes) {
      const at = now()
      const known = routes.map(knownOf)
      return {
        waitMs: known.length === 0 ? 0 : Math.min(...known.map((each) => waitOf(each, at))),
        refused: known.length > 0 && known.every((each) => isRefused(each, at)),
      }
    },
    keep(routes) {
      routesInForce = routes
      const names = new Set<string>()
      const keys = new Set<string>()
      for (const route of routes) {
        const { provider } = route
        names.add(routeName(route))
        for (const credential of [undefined, ...provider.credentials]) {
          keys.add(credentialKey(provider.name, credential))
        }
      }
      for (const name of targets.keys()) if (!names.has(name)) targets.delete(name)
      for (const { places } of [{ places: credentials }, ...targets.values()]) {
        for (const key of places.keys()) if (!keys.has(key)) places.delete(key)
      }
    },
    health() {
      return healthOf(routesInForce, knownOf, now())
    },
  }
}

function byModel(routes: readonly Route[]): Route[][] {
  const groups: Route[][] = []
  for (const route of routes) {
    const last = groups.at(-1)
    if (last && last[0]?.model === route.model) last.push(route)
    else groups.push([route])
  }
  return groups
}

function standingOf(seat: Seat, at: number): Standing {
  return worse(seat.everywhere.standing(at), seat.here.standing(at))
}

/** How a target stands as a whole: circuit, the target itself, the best of its credentials. */
function standingOfTarget({ breaker, parking }: TargetState, seats: readonly Seat[], at: number): Standing {
  if (breaker.retryAt(at) !== undefined) return 'parked'
  let best: Standing = 'parked'
  for (const seat of seats) {
    const standing = standingOf(seat, at)
    if (standing === 'ready') {
      best = 'ready'
      break
    }
    if (standing === 'last_choice') best = standing
  }
  return worse(parking.standing(at), best)
}

function worse(a: Standing, b: Standing): Standing {
  if (a === 'parked' || b === 'parked') return 'parked'
  return a === 'ready' ? b : a
}

/** How long until a call may be made, in milliseconds; 0: now. */
function waitOf({ state, seats }: Known, at: number): number {
  const circuit = (state.breaker.retryAt(at) ?? at) - at
  const target = firmWait(state.parking, at)
  const seat = Math.min(
    ...seats.map(({ everywhere, here }) => Math.max(firmWait(everywhere, at), firmWait(here, at))),
  )
  return Math.max(circuit, target, seat)
}

/** Whether a target cannot be called because none of its credentials is accepted or paid for. */
function isRefused({ seats }: Known, at: number): boolean {
  return seats.every(({ everywhere }) => everywhere.standing(at) === 'parked')
}

function firmWait(parking: Parking, at: number): number {
  return parking.standing(at) === 'parked' ? (parking.until(at) ?? at) - at : 0
}

function healthOf(routes: readonly Route[], knownOf: (route: Route) => Known, at: number): RoutingHealth {
  const targets = new Map<string, TargetHealth>()
  const credentials = new Map<string, CredentialHealth>()
  for (const route of routes) {
    const { state, seats } = knownOf(route)
    const provider = route.provider.name
    const retry = waitOf({ state, seats }, at)
    targets.set(state.name, {
      provider,
      upstreamModel: route.target.upstreamModel,
      circuit: state.breaker.circuit(at),
      standing: state.parking.standing(at),
      retryAt: retry > 0 ? at + retry : undefined,
      requests: state.requests,
      failures: state.failures,
      openCalls: state.openCalls,
      recent: state.breaker.recent(at),
      firstEventMs: state.latency.stream.percentiles(at),
      lastError: state.lastError,
    })
    for (const { credential, everywhere, here } of seats) {
      if (!credential) continue
      const parking = everywhere.until(at) === undefined ? here : everywhere
      const before = credentials.get(credential.name)
      if (before && before.retryAt !== undefined) continue
      credentials.set(credential.name, {
        provider,
        name: credential.name,
        standing: parking.standing(at),
        reason: parking.reason(at),
        retryAt: parking.until(at),
      })
    }
  }
  return { targets: [...targets.values()], credentials: [...credentials.values()] }
}
