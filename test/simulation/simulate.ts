import { createIdSource } from '../../src/core/id.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { Exchange } from '../../src/pipeline/reply.ts'
import { admitWithoutHold } from '../../src/pipeline/admit/admit.ts'
import { GatewayError } from '../../src/core/error.ts'
import { StoreUnavailable } from '../../src/core/ports/till.ts'
import { createLocalOperations } from '../../src/operations/localOperations.ts'
import { openStore, type StoreSettings } from '../../src/store/open.ts'
import { createSeededRandom, type SeededRandom } from '../support/seededRandom.ts'
import { type AuditFigures, createAuditor } from './auditor.ts'
import { type CallerRequest, sendRequest } from './caller.ts'
import { createClaimModel } from './claimModel.ts'
import { openInspector } from '../support/inspector.ts'
import { createNetwork } from './network.ts'
import { createSpendModel } from './spendModel.ts'
import { type ProcessNode, sha256, startProcessNode } from './processNode.ts'
import { SHOP, shopSettings } from './shop.ts'
import { createVirtualTime } from './virtualTime.ts'
import { createWindowModel } from './windowModel.ts'

export interface SimulationOptions {
  readonly seed: string
  readonly steps: number
  readonly database: StoreSettings
  readonly databaseUrl: string
  /** Verdicts reach the witnesses in the order of their commits. */
  readonly ordered: boolean
  /** Puts something between the processes and the store: a planted bug. */
  readonly between?: (store: Store, random: SeededRandom) => Store
}

export interface SimulationReport extends AuditFigures {
  readonly requests: number
  readonly upstreamCalls: number
  readonly crashes: number
  readonly views: ReadonlyMap<string, number>
}

/** Thrown at the first thing that cannot be. */
export class Broken extends Error {
  override readonly name = 'Broken'
}

/** Where the clock starts: shortly before something that clocks get wrong. */
const STARTS: readonly [string, ...string[]] = [
  '2027-12-31T23:50:00Z',
  '2028-02-28T23:55:00Z',
  '2028-02-29T23:58:00Z',
  '2027-03-28T00:55:00Z',
  '2027-10-31T00:55:00Z',
  '2027-06-30T12:00:00Z',
]
/** Long enough for every provider's silence, every retry and every caller's nap. */
const LAST_CALLS_MS = 4 * 60_000
const LEASE_AND_SWEEP_MS = 61_000
const PROCESSES = 2
/** Turns of the event loop without a step at the store after which nothing is under way. */
const QUIET_TURNS = 3

/** Lives through one seed. Throws `Broken` when the books, a caller or the oracle disagree. */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const random = createSeededRandom(options.seed)
  const time = createVirtualTime(Date.parse(random.pick(STARTS)))
  const network = createNetwork(random.fork('network'), time)
  const settings = shopSettings(options.databaseUrl)
  const faults: string[] = []
  const wrong = (what: string): void => void faults.push(what)
  const bug = (what: string, cause: unknown): void =>
    wrong(`${what}: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`)

  const stores: Store[] = []
  async function open(): Promise<Store> {
    const store = await openStore(options.database, { now: time.now })
    stores.push(store)
    return store
  }

  const requests: CallerRequest[] = []
  const byId = new Map<string, CallerRequest>()
  const windows = createWindowModel(options.ordered ? wrong : () => undefined)
  const claims = createClaimModel(options.ordered ? wrong : () => undefined)
  const operator = await open()
  const inspector = openInspector(options.database)
  const spend = createSpendModel()
  const auditor = createAuditor({
    inspector,
    network,
    windows,
    spend,
    requestOf: (id) => byId.get(id),
    requests: () => requests,
    wrong,
  })
  const witness = {
    admitted: (...told: Parameters<typeof windows.take>) => {
      windows.take(...told)
      spend.admitted(...told)
    },
    extended: () => undefined,
    settled: (...told: Parameters<typeof claims.settled>) => {
      claims.settled(...told)
      auditor.settled(...told)
    },
    renewed: claims.renewed,
    swept: () => undefined,
    claimed: claims.claimed,
    freed: claims.freed,
    doubted: auditor.doubted,
  }

  const operations = createLocalOperations({
    store: operator,
    clock: time.now,
    ids: createIdSource(time.now, random.fork('operator').bytes),
    hash: sha256,
    models: () => settings.models,
    providersHealth: () => [],
  })

  const everyNode: ProcessNode[] = []
  let nodes: ProcessNode[] = []
  async function startNode(): Promise<void> {
    const name = `process ${everyNode.length}`
    const own = random.fork(name)
    const real = await open()
    const node = startProcessNode({
      name,
      store: options.between ? options.between(real, own.fork('bug')) : real,
      settings,
      network,
      time,
      random: own,
      ids: createIdSource(time.now, own.fork('ids').bytes),
      witness,
      onBug: bug,
    })
    everyNode.push(node)
    nodes.push(node)
  }

  /** Lets everything happen that needs no time. */
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
      await new Promise((resolve) => setImmediate(resolve))
      if (everyNode.some(({ watched }) => watched.pending > 0)) quiet = -1
    }
  }

  async function check(): Promise<void> {
    await auditor.audit()
    if (faults.length > 0) throw new Broken(faults.join('\n'))
  }

  // The customers.
  const workspaces: string[] = []
  const keys: { readonly id: string; readonly secret: string; readonly workspace: string }[] = []
  const models = SHOP.map(({ id }) => id) as [string, ...string[]]

  async function createKey(workspace: string): Promise<void> {
    const { id, key: secret } = await operations.createKey(workspace, { name: 'key', ...limits() })
    keys.push({ id, secret, workspace })
  }

  function limits() {
    return {
      requests_per_minute: random.weighted([
        [4, null],
        [1, random.integer(1, 20)],
      ]),
      requests_per_day: random.weighted([
        [6, null],
        [1, random.integer(5, 200)],
      ]),
      monthly_spend_usd: random.weighted([
        [3, null],
        [2, usd(random.integer(1, 100) * 100_000)],
      ]),
    }
  }

  for (let i = 0; i < 3; i++) {
    const type = random.pick(['personal', 'organization'])
    const { id } = await operations.createWorkspace({ name: `workspace ${i}`, type })
    workspaces.push(id)
    await operations.credit(id, { amount_usd: usd(random.integer(1, 500) * 100_000) })
    for (let j = random.integer(1, 2); j > 0; j--) await createKey(id)
  }
  for (let i = 0; i < PROCESSES; i++) await startNode()

  const someWorkspace = (): string => random.pick(workspaces as [string, ...string[]])
  const someKey = () => random.pick(keys as [(typeof keys)[0], ...typeof keys])
  const someNode = (): ProcessNode => random.pick(nodes as [ProcessNode, ...ProcessNode[]])

  function send(more: { idempotencyKey?: string; bodyText?: string; secret?: string } = {}): void {
    const number = requests.length
    const request = sendRequest({
      number,
      node: someNode(),
      secret: more.secret ?? someKey().secret,
      idempotencyKey: more.idempotencyKey ?? (random.chance(0.15) ? `idempotent-${number}` : undefined),
      bodyText: more.bodyText,
      random: random.fork(`request ${number}`),
      time,
      network,
      models,
      onBug: bug,
    })
    requests.push(request)
    byId.set(request.id, request)
  }

  /** The same Idempotency-Key again: mostly the same body, sometimes another one, sometimes several at once. */
  function repeat(): void {
    const earlier = requests.slice(-60).filter(({ idempotencyKey }) => idempotencyKey !== undefined)
    if (earlier.length === 0) return send({ idempotencyKey: `twin-${requests.length}` })
    const {
      idempotencyKey = '',
      bodyText,
      secret,
    } = random.pick(earlier as [CallerRequest, ...CallerRequest[]])
    for (let twins = random.integer(1, 3); twins > 0; twins--) {
      send({ idempotencyKey, secret, ...(random.chance(0.9) && { bodyText }) })
    }
  }

  function leave(): void {
    const open = requests.slice(-40).filter(({ view, left }) => view.kind === 'open' && !left)
    if (open.length > 0) random.pick(open as [CallerRequest, ...CallerRequest[]]).leave()
  }

  /** A request that holds nothing, as `GET /v1/models`. */
  async function count(): Promise<void> {
    const { pipeline } = someNode()
    try {
      const caller = await pipeline.authenticator.authenticate({
        authorization: `Bearer ${someKey().secret}`,
        apiKey: null,
      })
      const exchange: Exchange = {
        id: pipeline.ids.request(),
        rate: undefined,
        headers: {},
        caller: undefined,
        model: undefined,
        holds: false,
      }
      await admitWithoutHold(pipeline, caller, exchange, time.now())
    } catch (error) {
      if (!(error instanceof GatewayError || error instanceof StoreUnavailable)) throw error
    }
  }

  async function credit(): Promise<void> {
    const amount = random.integer(1, 300) * 100_000
    const body = {
      amount_usd: usd(random.chance(0.25) ? -amount : amount),
      ...(random.chance(0.1) && amount > 0 && { note: 'simulated' }),
    }
    const idempotencyKey = random.chance(0.3) ? `credit-${random.integer(0, 50)}` : undefined
    await refusable(operations.credit(someWorkspace(), body, { idempotencyKey }))
  }

  async function changeLimits(): Promise<void> {
    if (random.chance(0.3)) {
      const requestsPerMinute = random.weighted([
        [1, null],
        [2, random.integer(1, 200)],
      ])
      await operations.updateWorkspace(someWorkspace(), { requests_per_minute: requestsPerMinute })
    } else {
      await operations.updateKey(someKey().id, limits())
    }
  }

  async function changeKeys(): Promise<void> {
    const { id } = someKey()
    if (random.chance(0.4)) await operations.revokeKey(id)
    else if (random.chance(0.3)) await refusable(operations.rotateKey(id, {}))
    await createKey(someWorkspace())
  }

  async function crash(): Promise<void> {
    const node = someNode()
    node.kill()
    nodes = nodes.filter((other) => other !== node)
    for (const request of requests) {
      if (request.node === node && request.view.kind === 'open') request.view = { kind: 'lost' }
    }
    await startNode()
  }

  function jump(): void {
    const now = time.now()
    const date = new Date(now)
    const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    const edge = random.weighted([
      [3, now + random.integer(1_000, 20_000)],
      [3, Math.ceil(now / 60_000) * 60_000],
      [2, now + random.integer(30_000, 90_000)],
      [1, Math.ceil(now / 3_600_000) * 3_600_000],
      [2, Math.ceil(now / 86_400_000) * 86_400_000],
      [0.5, month],
    ])
    time.jump(
      Math.max(
        0,
        edge -
          now -
          random.weighted([
            [1, 0],
            [1, random.integer(0, 2_000)],
          ]),
      ),
    )
  }

  async function outage(): Promise<void> {
    const { watched } = someNode()
    function goAway(ms: number): void {
      watched.away = true
      time.after(ms, () => void (watched.away = false))
    }
    if (random.chance(0.3)) {
      // Longer than a caller waits: what became of its settlement is found out without it.
      const ms = random.integer(12_000, 40_000)
      watched.losesSettlement = () => goAway(ms)
      return
    }
    if (random.chance(0.5)) {
      watched.losesAnswers = random.integer(1, 2)
      return
    }
    goAway(
      random.weighted([
        [5, random.integer(10, 5_000)],
        [1, random.integer(5_000, 40_000)],
      ]),
    )
    await settle()
  }

  function burst(): void {
    const { secret } = someKey()
    for (let left = random.integer(2, 20); left > 0; left--) send({ secret })
  }

  let crashes = 0
  const actions: readonly (readonly [weight: number, act: () => void | Promise<void>])[] = [
    [60, () => send()],
    [3, burst],
    [8, repeat],
    [8, leave],
    [5, count],
    [7, credit],
    [2, changeLimits],
    [0.6, changeKeys],
    [1.5, () => (crashes++, crash())],
    [1.5, jump],
    [1.5, outage],
  ]

  try {
    for (let step = 0; step < options.steps; step++) {
      await random.weighted(actions)()
      await settle()
      const ms = random.weighted([
        [3, 0],
        [5, random.integer(1, 200)],
        [2, random.integer(200, 2_000)],
        [0.3, random.integer(2_000, 30_000)],
      ])
      await time.pass(ms, settle)
      await check()
    }
    // The last calls end by themselves or with their process; then the leases run out.
    for (const { watched } of nodes) Object.assign(watched, { away: false, losesAnswers: 0 })
    await time.pass(LAST_CALLS_MS, settle)
    await check()
    if (random.chance(0.5)) await crash()
    await time.pass(LEASE_AND_SWEEP_MS, settle)
    for (const { pipeline, name } of nodes) {
      if (pipeline.calls.size > 0) wrong(`${name} still has ${pipeline.calls.size} calls`)
      if (pipeline.bodies.bytes > 0) wrong(`${name} still holds ${pipeline.bodies.bytes} bytes of bodies`)
    }
    await auditor.close()
    for await (const found of operator.books.verify()) {
      const { balance, ledgerBalance, held, openHolds, ledgerHeld, brokenAt } = found
      if (balance !== ledgerBalance || held !== openHolds || held !== ledgerHeld || brokenAt !== null) {
        wrong(`ledger verify: ${Bun.inspect(found)}`)
      }
    }
    await check()
  } finally {
    for (const node of everyNode) node.kill()
    await inspector.close()
    for (const store of stores) await store.close()
  }
  const views = new Map<string, number>()
  for (const { view } of requests) {
    const name = view.kind === 'refused' ? `${view.status} ${view.code}` : view.kind
    views.set(name, (views.get(name) ?? 0) + 1)
  }
  return { ...auditor.figures, requests: requests.length, upstreamCalls: network.calls, crashes, views }
}

/** A refusal is an answer. */
async function refusable(operation: Promise<unknown>): Promise<void> {
  try {
    await operation
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
  }
}

/** Nano-dollars as a decimal string in US dollars. */
function usd(nanoDollars: number): string {
  return (nanoDollars / 1e9).toFixed(9)
}
