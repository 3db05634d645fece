import type { Logger } from 'pino'
import { weaknessOf } from './config/adminToken.ts'
import { doorTokensOf, secretsOf, tokensOf } from './config/secretsOf.ts'
import type { Settings } from './config/settings.ts'
import { resolveCatalog } from './catalog/catalog.ts'
import { assert } from './core/assert.ts'
import type { ChatRequest } from './core/chat/request.ts'
import type { WorkspaceId } from './core/id.ts'
import type { Model } from './core/model.ts'
import type { Store } from './core/ports/store.ts'
import { type Veil, createVeil } from './core/veil.ts'
import { createDemoClient } from './demo/demoClient.ts'
import { createApp } from './http/app.ts'
import { createDataPlane } from './http/dataPlane.ts'
import { addressList } from './http/insider.ts'
import { startMetricsServer } from './http/metricsServer.ts'
import { type HttpServer, type ServerOptions, startServer } from './http/server.ts'
import { startJobs } from './jobs/jobs.ts'
import { createAuditEvents } from './observe/auditEvents.ts'
import { createErrorLog } from './observe/errorLog.ts'
import { createFaults } from './observe/faults.ts'
import { logGivenUp, logStopped } from './observe/givenUp.ts'
import { createMetrics } from './observe/metrics.ts'
import { createPipelineEvents } from './observe/pipelineEvents.ts'
import { createRouterEvents } from './observe/routerEvents.ts'
import { secretForms } from './observe/secretForms.ts'
import { createUntrustedProxies } from './observe/untrustedProxies.ts'
import { createDoor } from './operations/door/door.ts'
import { type ProviderView, providerView } from './operations/provider.ts'
import { LEASE_MS } from './pipeline/admit/admit.ts'
import { createAuthenticator } from './pipeline/authenticate/authenticate.ts'
import type { PipelineDeps } from './pipeline/deps.ts'
import { createBodyBudget } from './pipeline/authenticate/bodyBudget.ts'
import { createLiveCalls } from './pipeline/liveCalls.ts'
import { createOutstandingSettlements } from './pipeline/settle/outstanding.ts'
import { createOwnTurns } from './pipeline/authenticate/ownTurn.ts'
import { createRefusalKeeper } from './pipeline/refusalKeeper.ts'
import { createPlanCatalog, type PlanCatalog } from './pipeline/plan/planCatalog.ts'
import { createUsedUpWindows } from './pipeline/authenticate/usedUpWindows.ts'
import type { Platform } from './platform.ts'
import { openStore } from './store/open.ts'
import { type Tokenizer, createTokenizer } from './tokens/tokenizer.ts'
import { createStreamRefusals } from './upstream/streamRefusals.ts'
import { createAuthorizer } from './upstream/auth/authorize.ts'
import { callWhole } from './upstream/call.ts'
import { fetchTokenOver } from './upstream/auth/fetchToken.ts'
import { createAnswerBudget } from './upstream/answerBudget.ts'
import { createHttpClient } from './upstream/http/client.ts'
import type { HttpClient } from './upstream/http.ts'
import type { Route } from './upstream/route.ts'
import type { RoutingHealth } from './upstream/routing/health.ts'
import { createRouter } from './upstream/routing/createRouter.ts'
import { version } from './version.ts'
import { WIRE_FORMATS } from './wire/formats.ts'
import { openAiChat } from './wire/openai-chat/openAiChat.ts'

export { AddressInUse, AddressUnavailable } from './http/server.ts'

export interface GatewayOptions {
  readonly settings: Settings
  readonly log: Logger
  readonly platform: Platform
  /** Closed with the gateway. Default: a tokenizer in a thread of its own. */
  readonly tokenizer?: Tokenizer
}

/**
 * How long a stop waits at its end for the store to close, in milliseconds. A healthy one needs a moment; one that is away
 * may leave round trips unanswered.
 */
export const CLOSE_LIMIT_MS = 10_000
/** The same where settlements were given up, so that the store is known to be away. */
const LOST_CLOSE_LIMIT_MS = 2_000

/** How long calls that outlive the drain time have to be settled as stopped, in milliseconds. */
export const STOPPED_LIMIT_MS = 2_000
/** How long settlements that are under way when the time is over have to be answered, in milliseconds. */
export const LAST_ATTEMPT_LIMIT_MS = 500
/** How long callers whose calls are stopped, or whose settlements are given up, have to receive their errors, in milliseconds. */
export const LAST_WORDS_LIMIT_MS = 1_000

/** A running gateway. */
export interface Gateway {
  readonly url: string
  readonly port: number
  /** Of `server.metrics_address`; undefined without one. */
  readonly metricsUrl: string | undefined
  readonly store: Store
  /** Calls that have a hold now. */
  readonly openCalls: number
  /** How providers, targets and credentials fare now. */
  providersHealth(): readonly ProviderView[]
  /** Uses another configuration for new requests; address and database stay as they are. */
  reload(settings: Settings): void
  /**
   * Refuses new requests and lets those in flight finish, and what is not settled yet be settled, up to the drain limit.
   * Then ends the calls that are left, with an error and at no cost, and lets go of everything. The log names these calls,
   * and what the store has not taken.
   */
  stop(): Promise<void>
  /** How long a stop waits for calls in flight, in milliseconds. */
  readonly drainMs: number
  /** Ends the drain time of a stop, now or when it comes. */
  hurry(): void
}

/** The composition root: the one place that knows every room. Throws when address or store cannot be had. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { log } = options
  const { now, monotonic, sleep, random, ids, hash, collectGarbage } = options.platform
  let settings = options.settings
  let secrets = secretsOf(settings)
  let hide = createVeil(doorTokensOf(settings), secretForms)
  const veil: Veil = (text) => hide(text)
  let trustedProxies = addressList(settings.server.trustedProxies)
  let draining = false
  const hurried = Promise.withResolvers<void>()

  const errors = createErrorLog({ log, secrets: () => secrets, prompts: () => settings.log.prompts })
  const faults = createFaults({ log, errors })
  const metrics = createMetrics({
    openCalls: () => calls.size,
    bodyBytes: () => bodies.bytes,
    blocks: () => router.blocks(),
    ready: async () => (await currentHealth()).ready,
  })
  const store = await openStore(settings.database, {
    now,
    warn: (sentence) => log.warn(sentence),
    onHealth: faults.store,
    meter: metrics.store,
  })
  const http = createHttpClient({ monotonic, reportError: faults.error })
  const tokenizer = options.tokenizer ?? createTokenizer()
  const demo = createDemoClient({ tokenizer, sleep, now })
  const calls = createLiveCalls(faults.error)
  const outstanding = createOutstandingSettlements()
  const ownTurn = createOwnTurns()
  const bodies = createBodyBudget(() => settings.server.bodiesInFlight, collectGarbage)
  const answers = createAnswerBudget(() => settings.server.answersInFlight, collectGarbage)
  const authenticator = createAuthenticator({ directory: store.directory, now, hash })
  const stopListening = store.directory.onChange(() => authenticator.forget())

  const refusals = createRefusalKeeper({
    refusals: store.refusals,
    now,
    onLost: metrics.refusalsLost,
    veil,
  })

  const audit = createAuditEvents(log, metrics)
  const proxies = { trusted: () => trustedProxies, onUntrusted: createUntrustedProxies(log) }
  const door = createDoor({
    store,
    adminToken: () => settings.server.adminToken,
    canBeGuessed: (token) => weaknessOf(token) !== undefined,
    now,
    ids,
    hash,
    onRefused: audit.refused,
    onUse: audit.used,
  })

  const authorizer = createAuthorizer({ now, fetchToken: fetchTokenOver(http) })
  const clients: Clients = { http, demo }
  const router = createRouter({ now, random, events: createRouterEvents(log, metrics) })
  let catalog = enforce(settings)
  const pipeline: PipelineDeps = {
    store,
    authenticator,
    catalog: () => catalog,
    router,
    authorize: (route, credential, request) => authorizer(route.provider.provider.auth, credential, request),
    tokens: {
      count: (text) => tokenizer.count(text),
    },
    ids,
    calls,
    outstanding,
    veil,
    streamRefusals: createStreamRefusals(now),
    bodies,
    answers,
    holds: () => settings.holds,
    usedUp: createUsedUpWindows(),
    ownTurn,
    events: createPipelineEvents({
      log,
      errors,
      metrics,
      prompts: () => settings.log.prompts,
      now,
    }),
    now,
    random,
    sleep,
  }

  /** What the router knows of targets and credentials outlives the configuration it was learnt under. */
  function enforce(next: Settings): PlanCatalog {
    const fresh = catalogOf(next, clients)
    router.keep(next.models.flatMap(fresh.routes))
    return fresh
  }

  function providersHealth(): ProviderView[] {
    return providerViews(settings, router.health())
  }

  const currentHealth = (): Promise<Health> =>
    health(store, { draining, stuck: outstanding.refusals.stuck(now()) })

  async function letGo(): Promise<void> {
    stopListening()
    http.close()
    demo.close()
    tokenizer.close()
    await store.close()
  }

  const serverOptions: ServerOptions = {
    host: settings.server.host,
    port: settings.server.port,
    app: createApp({
      store,
      clock: now,
      ids,
      hash,
      models: () => settings.models,
      providersHealth,
      blocked({ workspaceId, ...filter }) {
        const blocks = router.blocks({ ...filter, scope: workspaceId })
        return { blocks, lift: () => router.lift(blocks) }
      },
      door,
      onChange: audit.changed,
      secrets: () => tokensOf(settings),
      metricsToken: () => settings.server.metricsToken,
      proxies,
      health: currentHealth,
      metrics: metrics.render,
      version,
      reportError: faults.error,
    }),
    dataPlane: createDataPlane({
      pipeline,
      server: openAiChat.server,
      maxBodyBytes: () => settings.server.maxBodyBytes,
      corsOrigins: () => settings.server.corsOrigins,
      draining: () => draining,
      reportError: faults.error,
      onAnswer: metrics.answered,
      refusals,
    }),
    proxies,
    requestId: ids.request,
    reportError: faults.error,
  }
  const server = await listen(() => startServer(serverOptions), letGo)
  const { metricsAddress } = settings.server
  const metricsServer =
    metricsAddress &&
    (await listen(
      () => startMetricsServer({ ...metricsAddress, app: serverOptions.app, reportError: faults.error }),
      async () => {
        await server.close()
        await letGo()
      },
    ))
  const jobs = startJobs({
    tickCalls: (at) => calls.tick(at),
    renewLeases: (at) => renewLeases(store, calls.ids(), at),
    sweep: (at) => store.till.sweep(at),
    expireAnswers: (at) => store.answers.expire(at),
    forgetAnswers: (at) => store.directory.forgetAnswers(at),
    keepRefusals: refusals.flush,
    forgetRefusals: (at) => store.refusals.forget(at),
    keepVisits: door.flush,
    forgetVisits: (at) => store.audit.forget(at),
    now,
    reportError: faults.job,
  })

  return {
    url: server.url,
    port: server.port,
    metricsUrl: metricsServer?.url,
    store,
    get openCalls() {
      return calls.size
    },
    reload(next) {
      settings = next
      secrets = secretsOf(next)
      hide = createVeil(doorTokensOf(next), secretForms)
      trustedProxies = addressList(next.server.trustedProxies)
      catalog = enforce(next)
    },
    providersHealth,
    async stop() {
      draining = true
      const drained = new AbortController()
      const deadline = Promise.race([sleep(settings.server.drainMs, drained.signal), hurried.promise])
      // Listens on meanwhile: a new request gets a 503, and its connection is not refused.
      await Promise.race([calls.idle(), deadline])
      const stopped = calls.ids()
      if (stopped.length > 0) {
        logStopped(log, stopped)
        calls.stop()
        await Promise.race([calls.idle(), sleep(STOPPED_LIMIT_MS, drained.signal)])
      }
      // A call is settled before its last bytes are sent: they have their time too.
      const closed = server.stop()
      await Promise.race([closed, deadline])
      // Calls whose callers have left, or heard that they cannot be booked, are settled without them.
      await Promise.race([outstanding.idle(), deadline])
      const gaveUp = await outstanding.giveUp(sleep(LAST_ATTEMPT_LIMIT_MS))
      // Callers who still wait get an error that says it is not known. Otherwise their connection would just end.
      if (gaveUp || stopped.length > 0) await Promise.race([closed, sleep(LAST_WORDS_LIMIT_MS)])
      // Or its timer would keep the process alive.
      drained.abort()
      jobs.stop()
      // What is still open now was given its time; its hold ends with its lease.
      await Promise.race([closed, server.close()])
      await metricsServer?.close()
      await within(sleep, gaveUp ? LOST_CLOSE_LIMIT_MS : CLOSE_LIMIT_MS, async () => {
        await refusals.flush().catch((error: unknown) => faults.job('keep refusals', error))
        await door.flush().catch((error: unknown) => faults.job('keep visits', error))
        await letGo()
      })
      // Attempts that were under way have ended by now, one way or the other.
      logGivenUp(log, outstanding.list())
    },
    get drainMs() {
      return settings.server.drainMs
    },
    hurry: hurried.resolve,
  }
}

/** Frees everything when the server cannot listen. */
async function listen(start: () => HttpServer, letGo: () => Promise<void>): Promise<HttpServer> {
  try {
    return start()
  } catch (error) {
    await letGo()
    throw error
  }
}

/** The ways out: to providers over the network, and to the one within. */
interface Clients {
  readonly http: HttpClient
  readonly demo: HttpClient
}

function catalogOf({ models, providers }: Settings, clients: Clients): PlanCatalog {
  const names = new Set(providers.keys())
  return createPlanCatalog(resolveCatalog(models), (model) => routesOf(model, providers, clients), names)
}

function providerViews(settings: Settings, { targets, blocks }: RoutingHealth): ProviderView[] {
  return Array.from(settings.providers.values(), ({ name, provider, credentials: own }) =>
    providerView({
      id: name,
      displayName: provider.displayName,
      wire: provider.wire,
      baseUrl: provider.baseUrl,
      targets: targets.filter((target) => target.provider === name),
      credentials: own.map((credential) => credential.name),
      blocks: blocks.filter((block) => block.provider === name),
    }),
  )
}

function routesOf(model: Model, providers: Settings['providers'], { http, demo }: Clients): Route[] {
  return model.targets.map((target) => {
    const provider = providers.get(target.provider)
    assert(provider !== undefined, 'a checked configuration names only providers it has')
    return {
      model,
      target,
      provider,
      format: WIRE_FORMATS[provider.provider.wire],
      http: provider.provider.baseUrl.startsWith('demo:') ? demo : http,
    }
  })
}

/** Whose share a probe's answer takes: a probe has a budget of its own. */
const PROBE = 'probe' as WorkspaceId

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

export function createProbe(
  settings: Settings,
  { now, monotonic, sleep, collectGarbage }: Platform,
): ProviderProbe {
  const http = createHttpClient({ monotonic })
  const tokenizer = createTokenizer()
  const demo = createDemoClient({ tokenizer, sleep, now })
  const authorizer = createAuthorizer({ now, fetchToken: fetchTokenOver(http) })
  const answers = createAnswerBudget(() => settings.server.answersInFlight, collectGarbage)
  const catalog = catalogOf(settings, { http, demo })
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
    close() {
      http.close()
      demo.close()
      tokenizer.close()
    },
  }
}

async function renewLeases(
  store: Store,
  ids: Parameters<Store['till']['renew']>[0],
  at: number,
): Promise<void> {
  if (ids.length > 0) await store.till.renew(ids, at + LEASE_MS)
}

interface Health {
  readonly ready: boolean
  readonly checks: Record<string, string>
}

async function health(store: Store, now: { draining: boolean; stuck: boolean }): Promise<Health> {
  const reachable = await store.ping().then(
    () => true,
    () => false,
  )
  return {
    ready: reachable && !now.draining && !now.stuck,
    checks: {
      store: reachable ? 'ok' : 'the database cannot store anything at the moment',
      ...(now.stuck && { settlements: 'the database does not take the charges of calls' }),
      ...(now.draining && { drain: 'shutting down' }),
    },
  }
}

/** Does the work, but waits for it no longer than this. */
async function within(sleep: Platform['sleep'], limitMs: number, work: () => Promise<void>): Promise<void> {
  const over = new AbortController()
  try {
    await Promise.race([work(), sleep(limitMs, over.signal)])
  } finally {
    over.abort()
  }
}
