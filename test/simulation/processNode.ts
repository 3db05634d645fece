import { resolveCatalog } from '../../src/catalog/catalog.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { IdSource } from '../../src/core/id.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { StoreUnavailable } from '../../src/core/ports/till.ts'
import { EXPIRE_ANSWERS_MS, CALL_TICK_MS, RENEW_MS, SWEEP_MS } from '../../src/jobs/jobs.ts'
import { LEASE_MS } from '../../src/pipeline/admit/admit.ts'
import { createAuthenticator } from '../../src/pipeline/authenticate/authenticate.ts'
import type { PipelineDeps } from '../../src/pipeline/deps.ts'
import { createAnswerBudget } from '../../src/upstream/answerBudget.ts'
import { createBodyBudget } from '../../src/pipeline/authenticate/bodyBudget.ts'
import { createLiveCalls } from '../../src/pipeline/liveCalls.ts'
import { createOutstandingSettlements } from '../../src/pipeline/settle/outstanding.ts'
import { createPlanCatalog } from '../../src/pipeline/plan/planCatalog.ts'
import { createUsedUpWindows } from '../../src/pipeline/authenticate/usedUpWindows.ts'
import { createAuthorizer } from '../../src/upstream/auth/authorize.ts'
import { createStreamRefusals } from '../../src/upstream/streamRefusals.ts'
import { createRouter } from '../../src/upstream/routing/createRouter.ts'
import { WIRE_FORMATS } from '../../src/wire/formats.ts'
import type { SeededRandom } from '../support/seededRandom.ts'
import type { Network } from './network.ts'
import { countTokens } from './shop.ts'
import type { VirtualTime } from './virtualTime.ts'
import { type StoreWitness, type WatchedStore, watchStore } from './watchedStore.ts'

/** Small enough that some calls find no room. */
const BODY_LIMITS = { process: 2_000, workspace: 1_500, key: 1_000 }
/** Every body of a simulation is small: with room of their own, none would be refused. */
const SMALL_BODIES_BYTES = 0

/** One gateway process of the simulated world: the modules of `src/gateway`, without sockets and real time. */
export interface ProcessNode {
  readonly name: string
  readonly pipeline: PipelineDeps
  readonly watched: WatchedStore
  readonly isAlive: boolean
  /** Ends as `kill -9` does: nothing is settled, nothing is closed. */
  kill(): void
}

export interface ProcessNodeOptions {
  readonly name: string
  /** The process's own; it is never closed by it. */
  readonly store: Store
  readonly settings: Settings
  readonly network: Network
  readonly time: VirtualTime
  readonly random: SeededRandom
  readonly ids: IdSource
  readonly witness: StoreWitness
  /** Hears of what must never happen. */
  readonly onBug: (what: string, cause: unknown) => void
}

export function startProcessNode(options: ProcessNodeOptions): ProcessNode {
  const { name, settings, network, time, random, ids, witness, onBug } = options
  const watched = watchStore(options.store, random.fork('store'), witness)
  const { store } = watched
  const now = time.now
  let alive = true

  const authorizer = createAuthorizer({ now, fetchToken: () => Promise.reject(new Error('no tokens here')) })
  const http = network.client(() => alive)
  const calls = createLiveCalls((error) => {
    throw error
  })
  const chance = random.fork('backoff')
  const catalog = createPlanCatalog(
    resolveCatalog(settings.models),
    (model) =>
      model.targets.flatMap((target) => {
        const provider = settings.providers.get(target.provider)
        return provider
          ? [
              {
                model,
                target,
                provider,
                format: WIRE_FORMATS[provider.provider.wire],
                quirks: provider.provider.quirks,
                http,
              },
            ]
          : []
      }),
    new Set(settings.providers.keys()),
  )
  const router = createRouter({ now, random: chance.next })
  router.keep(settings.models.flatMap(catalog.routes))
  const pipeline: PipelineDeps = {
    store,
    authenticator: createAuthenticator({ directory: store.directory, now, hash: sha256 }),
    catalog: () => catalog,
    router,
    authorize: (route, credential, request) => authorizer(route.provider.provider.auth, credential, request),
    tokens: {
      count: (text) => Promise.resolve(countTokens(text)),
    },
    ids,
    responsesKeepMs: () => settings.responses.keepMs,
    calls,
    outstanding: createOutstandingSettlements(),
    veil: (text) => text,
    streamRefusals: createStreamRefusals(now),
    holds: () => settings.holds,
    answers: createAnswerBudget(
      () => Infinity,
      () => undefined,
    ),
    bodies: createBodyBudget(
      () => BODY_LIMITS,
      () => undefined,
      SMALL_BODIES_BYTES,
    ),
    usedUp: createUsedUpWindows(),
    ownTurn: () => Promise.resolve(),
    events: {
      attemptFailed: () => undefined,
      tokenCountFailed: () => undefined,
      answerFailed: () => undefined,
      settled: () => undefined,
      settlementDelayed: () => undefined,
      settlementSetAside: () => undefined,
      gatewayFailed: ({ cause }) => report('the gateway failed', cause),
      usageRejected: () => undefined,
      outputExceeded: () => undefined,
      unknownFinish: () => undefined,
      conversation: () => undefined,
    },
    now,
    random: chance.next,
    // A dead process never wakes.
    sleep: async (ms, signal) => {
      await time.sleep(ms, signal)
      if (!alive) await new Promise(() => undefined)
    },
  }

  function report(what: string, cause: unknown): void {
    if (alive && !(cause instanceof StoreUnavailable)) onBug(what, cause)
  }

  every(CALL_TICK_MS, () => calls.tick(now()))
  every(RENEW_MS, () => void renew().catch((error: unknown) => report('renewing failed', error)))
  every(SWEEP_MS, sweep)
  every(
    EXPIRE_ANSWERS_MS,
    () => void store.answers.expire(now()).catch((error: unknown) => report('expiring failed', error)),
  )
  sweep()

  function sweep(): void {
    store.till.sweep(now()).catch((error: unknown) => report('sweeping failed', error))
  }

  async function renew(): Promise<void> {
    const live = calls.ids()
    if (live.length > 0) await store.till.renew(live, now() + LEASE_MS)
  }

  function every(ms: number, run: () => void): void {
    time.after(ms, () => {
      if (!alive) return
      run()
      every(ms, run)
    })
  }

  return {
    name,
    pipeline,
    watched,
    get isAlive() {
      return alive
    },
    kill() {
      alive = false
      watched.kill()
      http.close()
    },
  }
}

export function sha256(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}
