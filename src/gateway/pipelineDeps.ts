import type { Store } from '../core/ports/store.ts'
import { createAuthenticator } from '../pipeline/authenticate/authenticate.ts'
import { createBodyBudget } from '../pipeline/authenticate/bodyBudget.ts'
import { createOwnTurns } from '../pipeline/authenticate/ownTurn.ts'
import { createUsedUpWindows } from '../pipeline/authenticate/usedUpWindows.ts'
import type { PipelineDeps } from '../pipeline/deps.ts'
import { createLiveCalls } from '../pipeline/liveCalls.ts'
import type { PlanCatalog } from '../pipeline/plan/planCatalog.ts'
import { createOutstandingSettlements } from '../pipeline/settle/outstanding.ts'
import type { Platform } from '../platform.ts'
import { createAnswerBudget } from '../upstream/answerBudget.ts'
import { createAuthorizer } from '../upstream/auth/authorize.ts'
import { fetchTokenOver } from '../upstream/auth/fetchToken.ts'
import type { Router } from '../upstream/router.ts'
import { createStreamRefusals } from '../upstream/streamRefusals.ts'
import type { Clients } from './clients.ts'
import type { Configuration } from './configuration.ts'
import type { Observers } from './observers.ts'

export interface PipelineSources {
  readonly store: Store
  readonly platform: Platform
  readonly configuration: Configuration
  readonly clients: Clients
  readonly observers: Observers
  readonly router: Router
  /** The catalogue in use. */
  readonly catalog: () => PlanCatalog
}

/** What the steps of a request work with in this process. */
export function createPipelineDeps({ store, platform, clients, ...sources }: PipelineSources): PipelineDeps {
  const { configuration, observers, router, catalog } = sources
  const { now, random, sleep, ids, hash, collectGarbage } = platform
  const { http, tokenizer } = clients
  const authorizer = createAuthorizer({ now, fetchToken: fetchTokenOver(http) })
  return {
    store,
    authenticator: createAuthenticator({ directory: store.directory, now, hash }),
    catalog,
    router,
    authorize: (route, credential, request) => authorizer(route.provider.provider.auth, credential, request),
    tokens: {
      count: (text) => tokenizer.count(text),
    },
    ids,
    calls: createLiveCalls(observers.faults.error),
    outstanding: createOutstandingSettlements(),
    veil: configuration.veil,
    streamRefusals: createStreamRefusals(now),
    bodies: createBodyBudget(() => configuration.settings.server.bodiesInFlight, collectGarbage),
    answers: createAnswerBudget(() => configuration.settings.server.answersInFlight, collectGarbage),
    holds: () => configuration.settings.holds,
    responsesKeepMs: () => configuration.settings.responses.keepMs,
    usedUp: createUsedUpWindows(),
    ownTurn: createOwnTurns(),
    events: observers.pipeline,
    now,
    random,
    sleep,
  }
}
