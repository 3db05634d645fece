import type { Block } from './block.ts'
import { blocksOf } from './blocks.ts'
import type { RoutingHealth, TargetHealth } from './health.ts'
import type { RouteState } from './routeStates.ts'
import { EVERYONE } from './scope.ts'

export function healthOf(states: readonly RouteState[], now: number): RoutingHealth {
  const blocks = blocksOf(states, now)
  const targets = new Map<string, TargetHealth>()
  for (const state of states) targets.set(state.target.name, targetHealth(state, blocks, now))
  return { targets: [...targets.values()], blocks }
}

function targetHealth(
  { route, target, credentials }: RouteState,
  blocks: readonly Block[],
  now: number,
): TargetHealth {
  const provider = route.provider.name
  const { upstreamModel } = route.target
  const here = blocks.filter(
    (block) =>
      block.provider === provider &&
      (block.upstreamModel === undefined || block.upstreamModel === upstreamModel),
  )
  const { state } = target.breaker.forEveryone(now)
  const openForSome = here.some(({ what, scope }) => what === 'circuit' && scope !== EVERYONE)
  return {
    provider,
    upstreamModel,
    circuit: state === 'closed' && openForSome ? 'open_for_some' : state,
    retryAt: retryForEveryone(
      here,
      credentials.map(({ credential }) => credential?.name),
    ),
    requests: target.requests,
    failures: target.failures,
    openCalls: target.openCalls,
    recent: target.breaker.recent(now),
    firstEventMs: target.latency.stream.percentiles(now),
    lastError: target.lastError,
  }
}

/** When what everyone waits for is over: circuit, target, and the first of the credentials. */
function retryForEveryone(
  blocks: readonly Block[],
  credentials: readonly (string | undefined)[],
): number | undefined {
  const firm = blocks.filter(({ scope, firm: isFirm }) => scope === EVERYONE && isFirm)
  const lastOf = (some: readonly Block[]): number => Math.max(0, ...some.map(({ until }) => until))
  const ofTarget = lastOf(firm.filter(({ what }) => what !== 'credential'))
  const ofCredentials = credentials.map((name) =>
    lastOf(firm.filter(({ what, credential }) => what === 'credential' && credential === name)),
  )
  const at = Math.max(ofTarget, Math.min(...ofCredentials))
  return at === 0 ? undefined : at
}
