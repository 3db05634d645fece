import { type FailureKind, isRequestAtFault } from '../../core/failure.ts'
import type { WorkspaceId } from '../../core/id.ts'
import type { Route } from '../route.ts'
import type { AnswerMode, RoutedCall, Router } from '../router.ts'
import { availabilityOf, standingOfRoute } from './availability.ts'
import type { Block } from './block.ts'
import { blocksOf, liftBlocks, matchingBlocks } from './blocks.ts'
import { REFUSED } from './breaker.ts'
import type { CircuitChange } from './circuitChange.ts'
import { type CredentialState, freeCredential, standingOf } from './credentialState.ts'
import { type Cooling, effectOf } from './effect.ts'
import { orderRoutes } from './orderRoutes.ts'
import { RouteStates } from './routeStates.ts'
import { healthOf } from './routingHealth.ts'
import { lastErrorOf } from './targetState.ts'

/** Answers shorter than this say little about how fast a target generates. */
const PACE_TOKENS_MIN = 16

export interface RouterDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** From 0 up to 1. */
  readonly random: () => number
  /** Gets what an operator should know. Must not throw. */
  readonly events?: RouterEvents
}

export interface RouterEvents {
  circuitChanged(route: Route, change: CircuitChange): void
  /**
   * A credential is refused or unpaid, or a credential or a target is not used for the wait that the provider asked for.
   * @param route where it was met
   */
  parked(route: Route, block: Block): void
}

/** The router of a process (docs/decisions/0018-failures-belong-to-workspaces.md). */
export function createRouter({ now, random, events }: RouterDeps): Router {
  const states = new RouteStates((route, change) => events?.circuitChanged(route, change))
  const stateOf = (route: Route) => states.of(route)

  function enter(route: Route, with_: CredentialState, mode: AnswerMode, workspaceId: WorkspaceId) {
    const { target } = states.of(route)
    const epoch = target.breaker.enter(workspaceId, now())
    if (epoch === REFUSED) return undefined
    target.requests += 1
    target.openCalls += 1
    return { route, credential: with_.credential, mode, workspaceId, epoch }
  }

  function cool(call: RoutedCall, cooling: Cooling, kind: FailureKind, at: number): void {
    const { target, route } = states.of(call.route)
    const state = states.credentialOf(call)
    const cooldown =
      cooling.on === 'target' ? target.cooldown : cooling.on === 'place' ? state?.here : state?.everywhere
    const parked = cooldown?.cool(call.workspaceId, cooling, kind, at) ?? []
    for (const block of parked) {
      events?.parked(route, {
        ...block,
        what: cooling.on === 'target' ? 'target' : 'credential',
        provider: route.provider.name,
        upstreamModel: cooling.on === 'credential' ? undefined : route.target.upstreamModel,
        credential: cooling.on === 'target' ? undefined : call.credential?.name,
      })
    }
  }

  return {
    order(routes, request, mode, workspaceId) {
      if (routes.length < 2) return routes
      return orderRoutes(routes, { request, mode, workspaceId, at: now(), stateOf, random })
    },
    begin(route, workspaceId, mode, tried) {
      const at = now()
      const { target, credentials } = states.of(route)
      if (target.cooldown.standing(workspaceId, at) === 'parked') return undefined
      const free = freeCredential(credentials, workspaceId, at, tried)
      return free && enter(route, free, mode, workspaceId)
    },
    again(call) {
      const state = states.credentialOf(call)
      return state && enter(call.route, state, call.mode, call.workspaceId)
    },
    answered(call, firstEventMs) {
      const at = now()
      const { target } = states.of(call.route)
      target.openCalls -= 1
      target.latency[call.mode].record(firstEventMs, at)
      target.cooldown.answered(call.workspaceId, at)
      const credential = states.credentialOf(call)
      credential?.everywhere.answered(call.workspaceId, at)
      credential?.here.answered(call.workspaceId, at)
      target.breaker.answered(call, at)
    },
    failed(call, failure) {
      const at = now()
      const { target } = states.of(call.route)
      const effect = effectOf(failure)
      target.openCalls -= 1
      if (effect.on === 'nothing') return target.breaker.released(call)
      target.failures += 1
      target.lastError = lastErrorOf(failure, at)
      const { kind } = failure
      if (effect.on === 'circuit') {
        target.breaker.struck(call, { kind, forEveryone: effect.forEveryone }, at)
      } else if (effect.on === 'own_circuit') {
        target.breaker.spoiled(call, kind, at)
      } else if (effect.on === 'request') {
        target.breaker.answered(call, at)
      } else {
        target.breaker.released(call)
        cool(call, effect, kind, at)
      }
    },
    abandoned(call) {
      const { target } = states.of(call.route)
      target.openCalls -= 1
      target.breaker.released(call)
    },
    borrow(route, workspaceId) {
      const at = now()
      const state = stateOf(route)
      if (standingOfRoute(state, workspaceId, at) !== 'ready') return undefined
      return freeCredential(state.credentials, workspaceId, at, undefined)
    },
    ended(route, workspaceId, { failure, delivered, whole, outputTokens, durationMs }) {
      if (failure && effectOf(failure).on === 'nothing') return
      const at = now()
      const { target } = states.of(route)
      if (failure) {
        target.failures += 1
        target.lastError = lastErrorOf(failure, at)
        // A prompt can make a model fail: that must not take the target from anyone else.
        if (!isRequestAtFault(failure)) target.breaker.brokeOff(workspaceId, failure.kind, at)
        else if (!delivered) target.breaker.brokeOffAlone(workspaceId, failure.kind, at)
      } else if (whole) {
        target.breaker.completed(workspaceId)
        if (outputTokens >= PACE_TOKENS_MIN) target.pace.record(durationMs / outputTokens, at)
      }
    },
    hasOtherCredential(route, workspaceId, tried) {
      const at = now()
      return states
        .of(route)
        .credentials.some(
          (state) => !tried.has(state.credential) && standingOf(state, workspaceId, at) === 'ready',
        )
    },
    availability: (routes, workspaceId) => availabilityOf(routes.map(stateOf), workspaceId, now()),
    keep: (routes) => states.keep(routes),
    health: () => healthOf(states.all(), now()),
    blocks(filter) {
      const blocks = blocksOf(states.all(), now())
      return filter ? matchingBlocks(blocks, filter) : blocks
    },
    lift: (blocks) => liftBlocks(states.all(), blocks),
  }
}
