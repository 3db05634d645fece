import { describe, expect, test } from 'bun:test'
import { SETTLEMENT_PATIENCE_MS } from '../../src/pipeline/settle/settle.ts'
import { openInspector } from '../support/inspector.ts'
import { mustSkipPrivate, startPostgres } from '../support/postgres.ts'
import {
  type GatewayProcess,
  type ProcessCustomer,
  type ProcessWorld,
  startProcessWorld,
} from '../support/processWorld.ts'
import { errorOf, readerOf, readStream } from '../support/readAnswer.ts'
import { answers, createGate, type Gate, streams } from '../support/scriptedProvider.ts'
import { TEST_LIMIT_MS, isLong, onlyLong, repeats, scaled } from '../support/scale.ts'
import { createSeededRandom } from '../support/seededRandom.ts'
import { CALLERS, LOAD_BALANCE_USD, LOAD_SCRIPT, proveBooks, startLoad } from './load.ts'

const SEED = process.env['TOLLGATE_SEED'] ?? 'outage'
const OUTAGES = { short: 1, long: 12, share: 0.12 }
/** In the long form some last longer than an answer waits. */
const OUTAGE_MS_MAX = scaled({ short: 1_500, long: 13_000 })
/** Short enough for an answer to wait for the store. */
const SHORT_OUTAGE_MS = 1_500
const POLL_MS = 20

/** A world whose store can be taken away. */
interface Shaky extends AsyncDisposable {
  readonly world: ProcessWorld
  takeAway(): Promise<void>
  bringBack(): Promise<void>
}

interface ShakyEngine {
  readonly name: string
  readonly skipped: boolean
  start(): Promise<Shaky>
}

const ENGINES: readonly ShakyEngine[] = [
  { name: 'SQLite file that another process locks', skipped: false, start: startOnSqlite },
  {
    name: 'Postgres that goes down',
    skipped: mustSkipPrivate('processes whose Postgres goes away'),
    start: startOnPostgres,
  },
]

// The short form mostly waits; the long one shares the machine out by `repeats`.
const describeForm = isLong ? describe : describe.concurrent

for (const engine of ENGINES) {
  describeForm.skipIf(engine.skipped)(`processes on a ${engine.name}`, () => {
    test(
      'fail closed with 503 and say so, and serve again when it is back',
      async () => {
        await using shaky = await engine.start()
        const { world } = shaky
        const customer = await world.createCustomer()
        expect(await answered(world, firstOf(world), customer)).toBe(true)

        await shaky.takeAway()
        const reached = world.provider.requests.length
        const { url } = firstOf(world)
        const [readiness, ...responses] = await Promise.all([
          fetch(`${url}/readyz`),
          ...world.processes.map((one) => world.chat(one, customer.secret)),
        ])
        for (const response of responses) {
          expect(response.status).toBe(503)
          expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
          expect((await errorOf(response)).code).toBe('service_unavailable')
        }
        expect(world.provider.requests.length).toBe(reached)
        expect((await fetch(`${url}/healthz`)).status).toBe(200)
        expect(readiness.status).toBe(503)
        expect(await readiness.json()).toMatchObject({ status: 'unavailable' })

        await shaky.bringBack()
        await serving(world)
        for (const process of world.processes) expect(await answered(world, process, customer)).toBe(true)
        await proveCharges(world, customer, 1 + world.processes.length)
      },
      TEST_LIMIT_MS,
    )

    test(
      'let an answer in flight wait for it: it ends whole and is charged once',
      async () => {
        await using shaky = await engine.start()
        const { world } = shaky
        const customer = await world.createCustomer()
        const gate = createGate()
        const [streamed, whole] = await inFlight(world, customer, gate)

        await shaky.takeAway()
        gate.open()
        await Bun.sleep(SHORT_OUTAGE_MS)
        await shaky.bringBack()
        const stream = readStream(await streamed.rest())
        expect(stream.done).toBe(true)
        expect(stream.error).toBeUndefined()
        expect((await whole).status).toBe(200)
        await proveCharges(world, customer, 2)
      },
      TEST_LIMIT_MS,
    )

    test.skipIf(onlyLong())(
      'end an answer that has waited long enough with an error, and it costs nothing',
      async () => {
        await using shaky = await engine.start()
        const { world } = shaky
        const customer = await world.createCustomer()
        const gate = createGate()
        const [streamed, whole] = await inFlight(world, customer, gate)

        await shaky.takeAway()
        const openedAt = Date.now()
        gate.open()
        const stream = readStream(await streamed.rest())
        expect(stream.done).toBe(false)
        expect(stream.error?.code).toBe('service_unavailable')
        const refused = await whole
        expect(refused.status).toBe(503)
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(Date.now() - openedAt).toBeGreaterThan(SETTLEMENT_PATIENCE_MS / 2)
        await shaky.bringBack()
        await proveCharges(world, customer, 0)
      },
      TEST_LIMIT_MS,
    )

    test(
      'charge under load what was answered and nothing else, however often it goes',
      async () => {
        const random = createSeededRandom(`${SEED}/${engine.name}`)
        await using shaky = await engine.start()
        const { world } = shaky
        const customers = [
          await world.createCustomer({ balance: LOAD_BALANCE_USD }),
          await world.createCustomer({ balance: LOAD_BALANCE_USD, key: { monthly_spend_usd: '500' } }),
        ]
        world.provider.play(LOAD_SCRIPT)
        const load = startLoad(world, customers, random.fork('load'))
        let outages = 0
        for (const _ of repeats(OUTAGES)) {
          outages++
          await load.reach(load.answered.size + random.integer(1, 2 * CALLERS))
          await shaky.takeAway()
          await Bun.sleep(random.integer(0, OUTAGE_MS_MAX))
          await shaky.bringBack()
        }
        await load.reach(load.answered.size + CALLERS)
        await load.stop()
        expect(load.broken()).toBe(0)
        await proveBooks(world, customers, load)
        console.log(
          `${engine.name}, seed ${SEED}: ${outages} outages, ${load.answered.size} answered, ${load.refused.size} refused`,
        )
      },
      TEST_LIMIT_MS,
    )
  })
}

test(
  'a process that is told to stop finishes what it has begun and takes nothing new',
  async () => {
    const gate = createGate()
    await using world = await startProcessWorld({ processes: 1, provider: streams('Hello', gate, ' world') })
    const customer = await world.createCustomer()
    const process = firstOf(world)
    const streamed = readerOf(await world.chat(process, customer.secret, { stream: true }))
    await streamed.until('Hello')

    process.terminate()
    // The signal takes a moment.
    while ((await fetch(`${process.url}/readyz`)).status !== 503) await Bun.sleep(POLL_MS)
    const refused = await world.chat(process, customer.secret)
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await errorOf(refused)).code).toBe('service_unavailable')

    gate.open()
    expect(readStream(await streamed.rest()).done).toBe(true)
    expect(await process.exited).toBe(0)
    await proveCharges(world, customer, 1)
  },
  TEST_LIMIT_MS,
)

/** A streamed call and one that is answered whole, both held up by the gate in the middle of their answers. */
async function inFlight(world: ProcessWorld, customer: ProcessCustomer, gate: Gate) {
  world.provider.play(answers({ pieces: ['Hello', gate, ' world'] }))
  const streamed = readerOf(
    await world.chat(firstOf(world), customer.secret, { stream: true, max_tokens: 50 }),
  )
  await streamed.until('Hello')
  const before = world.provider.requests.length
  const whole = world.chat(firstOf(world), customer.secret, { max_tokens: 50 })
  await world.provider.until(({ requests }) => requests.length > before)
  return [streamed, whole] as const
}

function firstOf({ processes: [first] }: ProcessWorld): GatewayProcess {
  if (!first) throw new Error('no process runs')
  return first
}

async function answered(
  world: ProcessWorld,
  process: GatewayProcess,
  { secret }: ProcessCustomer,
): Promise<boolean> {
  const response = await world.chat(process, secret)
  return (await response.text()).includes('Hello world') && response.status === 200
}

async function serving(world: ProcessWorld): Promise<void> {
  for (const { url } of world.processes) {
    while ((await fetch(`${url}/readyz`)).status !== 200) await Bun.sleep(POLL_MS)
  }
}

/** So many charges, each of its own request, and nothing held; `ledger verify` agrees. */
async function proveCharges(
  world: ProcessWorld,
  { workspaceId }: ProcessCustomer,
  count: number,
): Promise<void> {
  // The world's own may have lost its connection.
  const inspector = openInspector(world.database)
  try {
    // What nobody waits for is settled soon after.
    while ((await inspector.rows('select id from holds')).length > 0) await Bun.sleep(POLL_MS)
    const charges = await inspector.rows(
      `select request_id from transfers where kind = 'charge' and workspace_id = '${workspaceId}'`,
    )
    expect(charges.length).toBe(count)
    expect(new Set(charges.map((row) => row['request_id'])).size).toBe(count)
  } finally {
    await inspector.close()
  }
  const { code, output } = await world.command('ledger', 'verify', '--json')
  expect(output).toContain('"ok": true')
  expect(code).toBe(0)
}

async function startOnPostgres(): Promise<Shaky> {
  const postgres = await startPostgres()
  const world = await startProcessWorld({ processes: 2, postgresUrl: await postgres.createDatabase() })
  return {
    world,
    takeAway: async () => postgres.server?.end('kill'),
    bringBack: async () => postgres.server?.start(),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await postgres.stop()
    },
  }
}

/** Holds the file's write lock until a line comes. */
const LOCKER = `
  const { Database } = require('bun:sqlite')
  const db = new Database(process.argv[1])
  db.run('pragma busy_timeout = 10000')
  db.run('begin immediate')
  console.log('locked')
  process.stdin.once('data', () => { db.run('rollback'); process.exit(0) })
`

async function startOnSqlite(): Promise<Shaky> {
  const world = await startProcessWorld({ processes: 2 })
  const { database } = world
  if (database.engine !== 'sqlite') throw new Error('not a file')
  let locker: ReturnType<typeof lock> | undefined
  function lock() {
    return Bun.spawn([process.execPath, '-e', LOCKER, database.engine === 'sqlite' ? database.path : ''], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    })
  }
  async function bringBack(): Promise<void> {
    await locker?.stdin.write('\n')
    await locker?.stdin.flush()
    await locker?.exited
    locker = undefined
  }
  return {
    world,
    async takeAway() {
      locker = lock()
      const { value } = await locker.stdout.getReader().read()
      expect(new TextDecoder().decode(value)).toBe('locked\n')
    },
    bringBack,
    async [Symbol.asyncDispose]() {
      await bringBack()
      await world[Symbol.asyncDispose]()
    },
  }
}
