import { rm } from 'node:fs/promises'
import { describe, expect, test } from 'bun:test'
import { StoreUnavailable } from '../../src/core/ports/till.ts'
import { SETTLEMENT_PATIENCE_MS } from '../../src/pipeline/settle/settle.ts'
import { checkedFetch } from '../support/checkedFetch.ts'
import { badLineTo } from '../support/postgres-proxy.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { type GatewayProcess, type ProcessWorld, startProcessWorld } from '../support/processWorld.ts'
import { readerOf } from '../support/readAnswer.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { answers, createGate, hang, inOrder, streams } from '../support/scriptedProvider.ts'
import { MESSAGES, MODEL, startWorld, type World } from '../support/world.ts'
import { openStream } from './money/purse.ts'

const DRAIN_MS = 1_000
const SHORT_DRAIN = () => ({ server: { port: 0, drain: `${DRAIN_MS}ms` } })
/** What a process may take beyond its drain: the store closes, and a loaded machine takes its time. */
const END_MS = 20_000

/** The till's settlements fail until it is let go. */
function takeAway(world: World) {
  const { till } = world.gateway.store as { till: { settle: unknown } }
  const real = till.settle
  const asked = Promise.withResolvers<void>()
  let tries = 0
  till.settle = () => {
    if (++tries > 1) asked.resolve()
    return Promise.reject(new StoreUnavailable('scripted'))
  }
  return { triedAgain: asked.promise, giveBack: () => (till.settle = real) }
}

describe.concurrent('a gateway that is stopped', () => {
  test(
    'waits for settlements that nobody else waits for, and only then closes its store',
    async () => {
      const world = await startWorld({ provider: streams('Hello', hang()) })
      const away = takeAway(world)
      const caller = await openStream(world)
      await caller.until('Hello')
      caller.leave()
      await away.triedAgain
      // Its call is over for everybody else; the settlement goes on in the background.
      world.clock.advance(SETTLEMENT_PATIENCE_MS)
      await world.settled()
      let closedFirst = true
      const { store } = world.gateway as { store: { close: () => Promise<void> } }
      const close = store.close.bind(store)
      let charged: unknown
      store.close = async () => {
        charged = (await world.operations.requests({})).data[0]?.ending
        closedFirst = charged === undefined
        await close()
      }
      const stopped = world.stop()
      away.giveBack()
      await stopped
      expect({ closedFirst, charged }).toEqual({ closedFirst: false, charged: 'client_left' })
    },
    TEST_LIMIT_MS,
  )

  const postgres = mustSkip('a process on Postgres that is stopped while its database is away')
  test.skipIf(postgres).each([
    ['refuses', true],
    ['is silent', 'swallow'],
  ] as const)(
    'while its database %s ends after the drain, and names in one line what it could not settle (Postgres)',
    async (_how, fate) => {
      const url = await (await sharedPostgres()).createDatabase()
      let away = false
      const asked = Promise.withResolvers<void>()
      await using line = await badLineTo(url, () => {
        if (away) asked.resolve()
        return away && fate
      })
      await using world = await startProcessWorld({
        processes: 1,
        postgresUrl: line.url,
        provider: streams('Hello', hang()),
        config: SHORT_DRAIN,
      })
      await expectEndOf(world, {
        takeDatabaseAway: () => {
          away = true
          return Promise.resolve()
        },
        settling: () => asked.promise,
      })
      line.mend()
    },
    TEST_LIMIT_MS,
  )

  test.skipIf(postgres).each([[false], [true]])(
    'tells callers whose answers it cannot book that it is not known, and names their calls as free (Postgres, stream: %s)',
    async (stream) => {
      const url = await (await sharedPostgres()).createDatabase()
      const gate = createGate()
      let away = false
      const asked = Promise.withResolvers<void>()
      await using line = await badLineTo(url, () => {
        if (away) asked.resolve()
        return away && 'swallow'
      })
      await using world = await startProcessWorld({
        processes: 1,
        postgresUrl: line.url,
        provider: inOrder(gate, answers({ pieces: ['Hello'] })),
        config: SHORT_DRAIN,
      })
      const [served] = world.processes
      if (!served) throw new Error('expected a process')
      const customer = await world.createCustomer()
      const answering = world.chat(served, customer.secret, { stream })
      await world.provider.request()
      away = true
      gate.open()
      // Its settlement is under way, and gets no answer.
      await asked.promise
      served.terminate()
      const response = await answering
      const text = await response.text()
      expect(response.status).toBe(stream ? 200 : 503)
      expect(text).toContain('not yet known')
      expect(text).not.toContain('[DONE]')
      expect(await served.exited).toBe(0)
      const [named] = logged(served).filter(({ msg }) => String(msg).startsWith('settlements were given up'))
      expect(named).toMatchObject({
        count: 1,
        settlements: [{ ending: 'gateway_failed', charge_nano_usd: '0', in_doubt: true }],
      })
      line.mend()
    },
    TEST_LIMIT_MS,
  )

  test(
    'while its database is gone ends after the drain, and names in one line what it could not settle (SQLite)',
    async () => {
      await using world = await startProcessWorld({
        processes: 1,
        provider: streams('Hello', hang()),
        config: SHORT_DRAIN,
      })
      const { database } = world
      if (database.engine !== 'sqlite') throw new Error('expected a file')
      await expectEndOf(world, {
        takeDatabaseAway: async () => {
          for (const end of ['', '-wal', '-shm']) await rm(database.path + end, { force: true })
          // Until a process has noticed, it writes to a file without a name.
          await untilLog(world.processes[0], 'the database cannot be used')
        },
        settling: () => untilLog(world.processes[0], 'a settlement waits for the database'),
      })
    },
    TEST_LIMIT_MS,
  )
})

/** A caller leaves a process whose database is away; then the process is told to stop. */
async function expectEndOf(
  world: ProcessWorld,
  { takeDatabaseAway, settling }: { takeDatabaseAway: () => Promise<void>; settling: () => Promise<void> },
): Promise<void> {
  const customer = await world.createCustomer()
  const [served] = world.processes
  if (!served) throw new Error('expected a process')
  const caller = new AbortController()
  const response = await checkedFetch(`${served.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: MESSAGES, stream: true }),
    signal: caller.signal,
  })
  const id = response.headers.get('x-request-id') ?? ''
  await readerOf(response).until('Hello')
  await takeDatabaseAway()
  caller.abort()
  await settling()
  const began = performance.now()
  served.terminate()
  expect(await served.exited).toBe(0)
  const tookMs = performance.now() - began
  expect(tookMs).toBeWithin(DRAIN_MS - 100, DRAIN_MS + END_MS)

  const lines = logged(served)
  const named = lines.filter(({ msg }) => String(msg).startsWith('settlements were given up'))
  expect(named).toHaveLength(1)
  expect(named[0]).toMatchObject({
    level: 'error',
    count: 1,
    settlements: [{ id, workspace_id: customer.workspaceId, key_id: customer.keyId, ending: 'client_left' }],
  })
  expect(JSON.stringify(named[0])).toMatch(/"charge_nano_usd":"[1-9]\d*"/)
  expect(lines.filter(({ msg }) => msg === 'a settlement was given up')).toEqual([])
}

function logged(served: GatewayProcess): Record<string, unknown>[] {
  return served
    .log()
    .split('\n')
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text) as Record<string, unknown>)
}

async function untilLog(served: GatewayProcess | undefined, part: string): Promise<void> {
  if (!served) throw new Error('expected a process')
  for (const { log } = served; !log().includes(part);) await Bun.sleep(5)
}
