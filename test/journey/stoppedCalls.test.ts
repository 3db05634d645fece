import { describe, expect, test } from 'bun:test'
import type { RequestId, WorkspaceId } from '../../src/core/id.ts'
import { ZERO } from '../../src/core/money.ts'
import { openStore } from '../../src/store/open.ts'
import { checkedFetch } from '../support/checkedFetch.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { errorOf, readerOf } from '../support/readAnswer.ts'
import { hang, streams } from '../support/scriptedProvider.ts'
import { startProcessWorld } from '../support/processWorld.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { MESSAGES, MODEL, startWorld, type World } from '../support/world.ts'
import { openStream } from './money/purse.ts'

const DRAIN = '50ms'
/** The end of a stream that was stopped. */
const ERROR_EVENT = /"choices":\[\],.*"error":\{"code":"service_unavailable".*shutting down/

/** The three places at which a call may be: before its answer, in an answer that is gathered, in a stream. */
async function openCalls(world: World) {
  const silent = world.chat({ messages: [{ role: 'user', content: 'silence' }], max_tokens: 20 })
  const gathered = world.chat({})
  const streamed = await openStream(world)
  await streamed.until('Hello')
  while (world.provider.requests.length < 3 || world.gateway.openCalls < 3) await Bun.sleep(5)
  return { silent, gathered, streamed }
}

function startHanging(more: { readonly databaseUrl?: string; readonly drain?: string } = {}): Promise<World> {
  const { databaseUrl, drain = DRAIN } = more
  return startWorld({
    ...(databaseUrl !== undefined && { databaseUrl }),
    provider: ({ body }) => (JSON.stringify(body).includes('silence') ? hang() : streams('Hello', hang())),
    config: () => ({ server: { drain } }),
  })
}

async function booksOf({ settings, workspaceId }: World) {
  const store = await openStore(settings.database, { now: Date.now })
  try {
    const { items } = await store.books.requests({ limit: 9 })
    const workspace = await store.directory.workspace(workspaceId as WorkspaceId)
    return { items, held: workspace?.held }
  } finally {
    await store.close()
  }
}

const skipsPostgres = mustSkip('calls that outlive the drain on Postgres')

describe.each([
  ['SQLite', false],
  ['Postgres', true],
] as const)('calls that outlive the drain on %s', (_engine, onPostgres) => {
  test.skipIf(onPostgres && skipsPostgres)(
    'hear why, cost nothing, hold nothing, and have a record each',
    async () => {
      const databaseUrl = onPostgres ? await (await sharedPostgres()).createDatabase() : undefined
      const world = await startHanging(databaseUrl === undefined ? {} : { databaseUrl })
      const { silent, gathered, streamed } = await openCalls(world)
      await world.gateway.stop()
      const ids: string[] = []
      for (const answer of [await silent, await gathered]) {
        expect(answer.status).toBe(503)
        expect(answer.headers.get('retry-after')).toBe('1')
        expect(await errorOf(answer)).toMatchObject({ code: 'service_unavailable' })
        ids.push(answer.headers.get('x-request-id') ?? '')
      }
      const rest = await streamed.rest()
      expect(rest).toMatch(ERROR_EVENT)
      expect(rest).not.toContain('[DONE]')
      const { items, held } = await booksOf(world)
      expect(held).toBe(ZERO)
      expect(items).toHaveLength(3)
      for (const { ending, charge } of items) expect([ending, charge]).toEqual(['gateway_failed', ZERO])
      for (const id of ids) expect(items.map((item) => item.id)).toContain(id as RequestId)
      world.provider.stop()
    },
    TEST_LIMIT_MS,
  )
})

test('a stop that is hurried does not wait for the drain time', async () => {
  const world = await startHanging({ drain: '1h' })
  const { silent, gathered, streamed } = await openCalls(world)
  const stopped = world.gateway.stop()
  world.gateway.hurry()
  await stopped
  expect([(await silent).status, (await gathered).status]).toEqual([503, 503])
  expect(await streamed.rest()).toMatch(ERROR_EVENT)
  world.provider.stop()
})

test(
  'a process with a shutdown delay takes calls after its signal, while it says that it is not ready; a second signal ends both',
  async () => {
    await using world = await startProcessWorld({
      processes: 1,
      config: () => ({ server: { port: 0, shutdown_delay: '1h' } }),
    })
    const [served] = world.processes
    if (!served) throw new Error('expected a process')
    const customer = await world.createCustomer()
    served.terminate()
    while ((await fetch(`${served.url}/readyz`)).ok) await Bun.sleep(5)
    const answer = await world.chat(served, customer.secret)
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining('Hello world') as string,
    ])
    served.terminate()
    expect(await served.exited).toBe(0)
  },
  TEST_LIMIT_MS,
)

test(
  'a second signal ends the drain time of a process, and the log names the calls that it ends',
  async () => {
    await using world = await startProcessWorld({
      processes: 1,
      provider: streams('Hello', hang()),
      config: () => ({ server: { port: 0, drain: '1h' } }),
    })
    const [served] = world.processes
    if (!served) throw new Error('expected a process')
    const customer = await world.createCustomer()
    const response = await checkedFetch(`${served.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, messages: MESSAGES, stream: true }),
    })
    const reader = readerOf(response)
    await reader.until('Hello')
    served.terminate()
    while ((await fetch(`${served.url}/readyz`)).ok) await Bun.sleep(5)
    served.terminate()
    expect(await reader.rest()).toMatch(ERROR_EVENT)
    expect(await served.exited).toBe(0)
    expect(served.log()).toMatch(/"count":1,"calls":\["chatcmpl-\w+"\],"msg":"calls are ended/)
  },
  TEST_LIMIT_MS,
)
