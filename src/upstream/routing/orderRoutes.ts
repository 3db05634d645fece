import type { RequestTraits } from '../../core/traits.ts'
import type { WorkspaceId } from '../../core/id.ts'
import type { Route } from '../route.ts'
import type { AnswerMode } from '../router.ts'
import { standingOfRoute } from './availability.ts'
import { type Candidate, orderByOf, orderTargets } from './order.ts'
import type { RouteState } from './routeStates.ts'
import { hashText } from './sticky.ts'

/** What an order depends on beside the routes. */
export interface OrderFor {
  readonly request: RequestTraits
  readonly mode: AnswerMode
  readonly workspaceId: WorkspaceId
  readonly at: number
  readonly stateOf: (route: Route) => RouteState
  /** From 0 up to 1. */
  readonly random: () => number
}

/** The routes in the order to try them; those of a model stay together, in the order of the models. */
export function orderRoutes(routes: readonly Route[], what: OrderFor): readonly Route[] {
  const model = routes[0]?.model
  if (routes.every((route) => route.model === model)) return orderModel(routes, what)
  return byModel(routes).flatMap((group) => orderModel(group, what))
}

function orderModel(routes: readonly Route[], what: OrderFor): readonly Route[] {
  const [first] = routes
  const { request, random } = what
  const { routing } = request
  if (!first || routes.length === 1) return routes
  const key = request.promptCacheKey ?? request.user
  const preferred = routing?.order ?? makerOf(request)
  const order = orderTargets(
    routes.map((route) => candidateOf(route, what)),
    {
      by: orderByOf(first.model.strategy, routing?.sort),
      key: key === undefined ? undefined : hashText(key),
      random,
      ...(preferred && { preferred }),
      onlyFirst: routing?.allowFallbacks === false && routing.order === undefined,
    },
  )
  return order.flatMap((index) => routes[index] ?? [])
}

/** The provider whose encrypted reasoning is the latest within the request: no other can read it. */
function makerOf({ makers }: RequestTraits): readonly string[] | undefined {
  const last = makers && [...makers.values()].at(-1)
  return last && [last.provider]
}

function candidateOf(route: Route, { request, mode, workspaceId, at, stateOf }: OrderFor): Candidate {
  const state = stateOf(route)
  const { target } = state
  const latency = request.routing?.sort === 'throughput' ? target.pace : target.latency[mode]
  return {
    target: route.target,
    hash: target.hash,
    standing: standingOfRoute(state, workspaceId, at),
    measure: latency.typical(at),
    busy: target.openCalls > 0,
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
