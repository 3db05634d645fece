import { secretsOf } from '../config/secretsOf.ts'
import type { Settings } from '../config/settings.ts'
import { assert } from '../core/assert.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import type { WorkspaceId } from '../core/id.ts'
import type { Platform } from '../platform.ts'
import { createAnswerBudget } from '../upstream/answerBudget.ts'
import { createAuthorizer } from '../upstream/auth/authorize.ts'
import { fetchTokenOver } from '../upstream/auth/fetchToken.ts'
import { callWhole } from '../upstream/call.ts'
import type { Route } from '../upstream/route.ts'
import { catalogOf } from './catalogOf.ts'
import { createClients } from './clients.ts'

/** Small calls to providers outside of any request: what `tollgate providers test` makes. */
export interface ProviderProbe {
  /** Every credential's secret, for redaction. */
  readonly secrets: readonly string[]
  /** A model that the provider serves here; undefined when there is none. */
  modelOf(provider: string): string | undefined
  /** Throws `UpstreamError` when the provider does not answer well. */
  call(provider: string, request: ChatRequest): Promise<void>
  close(): void
}

/** Whose share a probe's answer takes: a probe has a budget of its own. */
const PROBE = 'probe' as WorkspaceId

export function createProbe(settings: Settings, platform: Platform): ProviderProbe {
  const { now, collectGarbage } = platform
  const clients = createClients({ platform })
  const authorizer = createAuthorizer({ now, fetchToken: fetchTokenOver(clients.http) })
  const answers = createAnswerBudget(() => settings.server.answersInFlight, collectGarbage)
  const catalog = catalogOf(settings, clients)
  const routes = settings.models.flatMap((model) => catalog.routes(model))
  const routeOf = (provider: string): Route | undefined =>
    routes.find((route) => route.provider.name === provider)
  return {
    secrets: secretsOf(settings),
    modelOf: (provider) => routeOf(provider)?.model.id,
    async call(provider, request) {
      const route = routeOf(provider)
      assert(route !== undefined, 'a probe is sent to a provider that serves a model')
      await callWhole(request, {
        route,
        credential: route.provider.credentials[0],
        authorize: (to, credential, unsigned) => authorizer(to.provider.provider.auth, credential, unsigned),
        answers,
        completionId: PROBE,
        workspaceId: PROBE,
        signal: new AbortController().signal,
        onSent: () => undefined,
        onDropped: () => undefined,
        onReportBefore: () => undefined,
        onUnknownFinish: () => undefined,
      })
    },
    close: clients.close,
  }
}
