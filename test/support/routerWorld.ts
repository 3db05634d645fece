// What tests of the router share: routes to providers of any number, and a router with a clock that they move.
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { FailureKind, UpstreamFailure } from '../../src/core/failure.ts'
import type { WorkspaceId } from '../../src/core/id.ts'
import type { Model, RoutingStrategy, Target } from '../../src/core/model.ts'
import { nano } from '../../src/core/money.ts'
import type { ConfiguredProvider } from '../../src/providers/configured.ts'
import { timeoutsInForce } from '../../src/providers/timeouts.ts'
import type { HttpClient } from '../../src/upstream/http.ts'
import { type Route, routeName } from '../../src/upstream/route.ts'
import type { RoutedCall } from '../../src/upstream/router.ts'
import { createRouter } from '../../src/upstream/routing/createRouter.ts'
import type { Scope } from '../../src/upstream/routing/scope.ts'
import { openAiChat } from '../../src/wire/openai-chat/openAiChat.ts'

export const NOON = Date.UTC(2026, 10, 20, 12)

export function provider(
  name: string,
  keys = [`${name}-key`],
  baseUrl = `https://${name}.example/v1`,
): ConfiguredProvider {
  return {
    name,
    provider: {
      id: name,
      displayName: name,
      wire: 'openai-chat',
      baseUrl,
      auth: { kind: 'bearer' },
      quirks: {},
    },
    credentials: keys.map((key, index) => ({ kind: 'key', name: `${name}#${index + 1}`, key })),
    timeouts: timeoutsInForce({}),
  }
}

const http: HttpClient = { request: () => Promise.reject(new Error('nothing is sent here')), close() {} }

export function routesAt(
  providers: readonly ConfiguredProvider[],
  strategy: RoutingStrategy = 'priority',
  change: Partial<Target> = {},
): Route[] {
  const targets = providers.map(({ name }): Target => ({
    provider: name,
    upstreamModel: 'm',
    facts: {},
    weight: 1,
    priority: 0,
    ...change,
  }))
  const model: Model = {
    id: `model-${strategy}`,
    displayName: 'm',
    ownedBy: 'm',
    category: 'chat',
    created: 0,
    contextLength: 1000,
    maxOutputTokens: 100,
    assumedOutputTokens: 100,
    assumedTokensPerSecond: 60,
    imageTokens: 1_000,
    capabilities: [],
    prices: [{ input: nano(1n), output: nano(1n) }],
    targets,
    strategy,
    aliases: [],
    unsupportedFields: [],
  }
  return providers.flatMap((configured, index) => {
    const target = targets[index]
    return target
      ? [
          {
            model,
            target,
            provider: configured,
            format: openAiChat,
            quirks: configured.provider.quirks,
            http,
          },
        ]
      : []
  })
}

export function requestWith(more: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'm', messages: [], n: 1, stream: true, includeUsage: false, extra: {}, ...more }
}

export const OURS = 'ws_ours' as WorkspaceId
export const THEIRS = 'ws_theirs' as WorkspaceId
export const OTHERS = 'ws_others' as WorkspaceId

/** A router over these routes, and a clock that only moves when it is moved. Calls are of `OURS` unless they say. */
export function worldOf(routes: readonly Route[]) {
  const clock = { now: NOON }
  /** What operators get to know: of `OURS`, of others by their id, of everyone. */
  const told: string[] = []
  const router = createRouter({
    now: () => clock.now,
    random: Math.random,
    events: {
      circuitChanged: (route, { state, scope }) =>
        void told.push(`${routeName(route)} ${state}${forWhom(scope)}`),
      parked: (route, { credential, reason, scope }) =>
        void told.push(`${credential ?? routeName(route)} ${reason}${forWhom(scope)}`),
    },
  })
  router.keep(routes)

  function of(workspaceId: WorkspaceId) {
    const takes = (route: Route): boolean => {
      const call = router.begin(route, workspaceId, 'stream')
      if (call) router.abandoned(call)
      return call !== undefined
    }
    function fail(route: Route, kind: FailureKind, more: Partial<UpstreamFailure> = {}): RoutedCall {
      const call = router.begin(route, workspaceId, 'stream')
      if (!call) throw new Error(`${routeName(route)} takes no call`)
      router.failed(call, { kind, detail: 'scripted', ...more })
      return call
    }
    function succeed(route: Route, ms = 10): void {
      const call = router.begin(route, workspaceId, 'stream')
      if (!call) throw new Error(`${routeName(route)} takes no call`)
      router.answered(call, ms)
    }
    function order(more: Partial<ChatRequest> = {}): string[] {
      return router
        .order(routes, requestWith(more), 'stream', workspaceId)
        .map((route) => route.provider.name)
    }
    return { fail, succeed, order, takes }
  }

  /** Of a provider: what is not ready, for whom and why. */
  function blocked(name = 'a'): string[] {
    return router
      .blocks({ provider: name })
      .map(({ what, scope, reason, firm }) => `${what}${forWhom(scope)}: ${reason}${firm ? '' : '?'}`)
  }

  return { ...of(OURS), of, blocked, router, clock, told }
}

function forWhom(scope: Scope): string {
  return scope === OURS ? '' : ` for ${scope}`
}

/** Two models of one provider, with its credentials in common. */
export function twoTargetsOf(shared: ConfiguredProvider): [Route, Route] {
  return [only(routesAt([shared])), only(routesAt([shared], 'priority', { upstreamModel: 'other' }))]
}

export function started(call: RoutedCall | undefined): RoutedCall {
  if (!call) throw new Error('no call may be made')
  return call
}

export function only(routes: readonly Route[]): Route {
  const [first] = routes
  if (!first) throw new Error('no route')
  return first
}
