import type { Logger } from 'pino'
import { weaknessOf } from '../config/adminToken.ts'
import type { Settings } from '../config/settings.ts'
import type { Store } from '../core/ports/store.ts'
import type { Health } from '../http/deps.ts'
import { type Door, createDoor } from '../operations/door/door.ts'
import type { ProviderView } from '../operations/provider.ts'
import type { PipelineDeps } from '../pipeline/deps.ts'
import type { PlanCatalog } from '../pipeline/plan/planCatalog.ts'
import { type RefusalKeeper, createRefusalKeeper } from '../pipeline/refusalKeeper.ts'
import type { Platform } from '../platform.ts'
import { openStore } from '../store/open.ts'
import { createRouter } from '../upstream/routing/createRouter.ts'
import { catalogOf } from './catalogOf.ts'
import { createClients } from './clients.ts'
import { type Configuration, createConfiguration } from './configuration.ts'
import { type Drain, createDrain } from './drain.ts'
import type { GatewayOptions } from './gateway.ts'
import { type Observers, createObservers } from './observers.ts'
import { createPipelineDeps } from './pipelineDeps.ts'
import { providerViews } from './providerViews.ts'
import { readiness } from './readiness.ts'

/** What a gateway is made of, before it listens. */
export interface Parts {
  readonly log: Logger
  readonly platform: Platform
  readonly configuration: Configuration
  readonly observers: Observers
  readonly store: Store
  readonly pipeline: PipelineDeps
  readonly refusals: RefusalKeeper
  readonly door: Door
  readonly drain: Drain
  /** Whether this process can serve now. */
  readonly health: () => Promise<Health>
  /** How providers, targets and credentials fare now. */
  readonly providersHealth: () => readonly ProviderView[]
  /** Uses another configuration. */
  reload(next: Settings): void
  /** Closes what was opened. */
  letGo(): Promise<void>
}

/** Throws when the store cannot be had. */
export async function createParts({ settings, log, platform, tokenizer }: GatewayOptions): Promise<Parts> {
  const { now, random, sleep, ids, hash } = platform
  const configuration = createConfiguration(settings)
  const drain = createDrain(() => configuration.settings.server, sleep)
  const observers = createObservers({
    log,
    configuration,
    now,
    gauges: {
      openCalls: () => pipeline.calls.size,
      bodyBytes: () => pipeline.bodies.bytes,
      blocks: () => router.blocks(),
      ready: async () => (await health()).ready,
      draining: () => drain.announced,
    },
  })
  const { faults, metrics, audit } = observers
  const store = await openStore(settings.database, {
    now,
    warn: (sentence) => log.warn(sentence),
    onHealth: faults.store,
    meter: metrics.store,
  })
  const clients = createClients({ platform, tokenizer, reportError: faults.error })
  const router = createRouter({ now, random, events: observers.router })
  let catalog = enforce(settings)
  const pipeline = createPipelineDeps({
    store,
    platform,
    configuration,
    clients,
    observers,
    router,
    catalog: () => catalog,
  })
  const stopListening = store.directory.onChange(() => pipeline.authenticator.forget())

  /** What the router knows of targets and credentials outlives the configuration it was learnt under. */
  function enforce(next: Settings): PlanCatalog {
    const fresh = catalogOf(next, clients)
    router.keep(next.models.flatMap(fresh.routes))
    return fresh
  }

  const health = (): Promise<Health> =>
    readiness(store, { draining: drain.announced, stuck: pipeline.outstanding.refusals.stuck(now()) })

  return {
    log,
    platform,
    configuration,
    observers,
    store,
    pipeline,
    refusals: createRefusalKeeper({
      refusals: store.refusals,
      now,
      onLost: metrics.refusalsLost,
      veil: configuration.veil,
    }),
    door: createDoor({
      store,
      adminToken: () => configuration.settings.server.adminToken,
      canBeGuessed: (token) => weaknessOf(token) !== undefined,
      now,
      ids,
      hash,
      onRefused: audit.refused,
      onUse: audit.used,
    }),
    drain,
    health,
    providersHealth: () => providerViews(configuration.settings, router.health()),
    reload(next) {
      configuration.replace(next)
      catalog = enforce(next)
    },
    async letGo() {
      stopListening()
      clients.close()
      await store.close()
    },
  }
}
