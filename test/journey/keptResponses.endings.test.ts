import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { JsonObject } from '../../src/core/json.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import {
  type Act,
  answers,
  createGate,
  hang,
  openaiCompletion,
  openaiUsage,
  respond,
  streams,
} from '../support/scriptedProvider.ts'
import { MODEL, type World, type WorldOptions, startWorld } from '../support/world.ts'

/** Which answers are kept, by how their calls end. */

const HELLO = { model: MODEL, max_output_tokens: 100, input: 'Hi' }

interface Engine {
  /** Undefined: a file of its own. */
  readonly databaseUrl: () => Promise<string | undefined>
  /** Runs statements on the world's database, beside the gateway; gives the rows of the last. */
  readonly query: (world: World, text: string) => Promise<readonly JsonObject[]>
  /** Statements after which nothing is kept. */
  readonly refusing: string
}

const SQLITE: Engine = {
  databaseUrl: async () => undefined,
  async query({ settings: { database } }, text) {
    if (database.engine !== 'sqlite') throw new Error('expected a file')
    using file = new Database(database.path)
    file.run('pragma busy_timeout = 5000')
    return file.query<JsonObject, []>(text).all()
  },
  refusing: `create trigger refuses before insert on kept_responses begin select raise(abort, 'planted'); end`,
}

const POSTGRES: Engine = {
  databaseUrl: async () => (await sharedPostgres()).createDatabase(),
  async query({ databaseUrl }, text) {
    await using sql = new SQL(databaseUrl, { max: 1 })
    return await sql.unsafe(text)
  },
  refusing: 'alter table kept_responses add check (false) not valid',
}

const ENGINES: readonly (readonly [string, Engine])[] = [
  ['SQLite', SQLITE],
  ...(mustSkip('kept responses on Postgres') ? [] : ([['Postgres', POSTGRES]] as const)),
]

async function startOn({ databaseUrl }: Engine, options: WorldOptions = {}): Promise<World> {
  const url = await databaseUrl()
  return startWorld({ ...options, ...(url !== undefined && { databaseUrl: url }) })
}

function ask(world: World, more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return world.request('POST', '/v1/responses', { ...HELLO, ...more }, headers)
}

async function keptIds(world: World, engine: Engine = SQLITE): Promise<readonly unknown[]> {
  await world.settled()
  return (await engine.query(world, 'select id from kept_responses order by id')).map(({ id }) => id)
}

describe.each(ENGINES)('on %s', (_name, engine) => {
  test.each([false, true])(
    'an answer that cannot be kept is given and charged all the same, and logged once without what it says; streamed: %p',
    async (stream) => {
      const path = join(tmpdir(), `tollgate-kept-${crypto.randomUUID()}.log`)
      const world = await startOn(engine, {
        provider: answers({ pieces: ['Heliotrope'], usage: openaiUsage(5, 5) }),
        log: { level: 'debug', descriptor: openSync(path, 'w') },
      })
      try {
        await engine.query(world, engine.refusing)
        const response = await ask(world, { stream, input: 'Marigold' })
        expect(response.status).toBe(200)
        expect(await response.text()).toContain('Heliotrope')
        await world.settled()
        expect((await world.ledger()).filter(({ kind }) => kind === 'charge')).toHaveLength(1)
        expect(await keptIds(world, engine)).toEqual([])
      } finally {
        await world.stop()
      }
      const log = readFileSync(path, 'utf8')
      rmSync(path)
      const failures = log.split('\n').filter((line) => line.includes('the gateway failed'))
      expect(failures.map((line) => JSON.parse(line) as JsonObject)).toMatchObject([{ at: 'memory' }])
      expect(log).not.toMatch(/Heliotrope|Marigold/)
    },
    TEST_LIMIT_MS,
  )

  test(
    'ids that no database can have are not there: no error of the gateway',
    async () => {
      await using world = await startOn(engine)
      const odd = 'resp_\u0000\ud800'
      expect((await ask(world, { previous_response_id: odd })).status).toBe(400)
      expect((await ask(world, { input: [{ type: 'item_reference', id: odd }] })).status).toBe(404)
      for (const method of ['GET', 'DELETE'])
        expect((await world.request(method, '/v1/responses/resp_%00')).status).toBe(404)
    },
    TEST_LIMIT_MS,
  )
})

describe('an answer', () => {
  test.each([false, true])(
    'that repeats one for its Idempotency-Key is kept once; streamed: %p',
    async (stream) => {
      await using world = await startWorld()
      const key = { 'idempotency-key': 'once' }
      const first = await ask(world, { stream }, key)
      await first.text()
      const again = await ask(world, { stream }, key)
      await again.text()
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(await keptIds(world)).toEqual([first.headers.get('x-request-id')])
    },
  )

  test.each([false, true])('that its caller did not wait for is not kept; streamed: %p', async (stream) => {
    const gate = createGate()
    await using world = await startWorld({ provider: stream ? streams('Hel', gate, 'lo') : hang() })
    const left = new AbortController()
    const asked = fetch(`${world.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...HELLO, stream }),
      signal: left.signal,
    })
    await (stream ? asked : world.provider.request())
    left.abort()
    await asked.catch(() => undefined)
    await world.provider.abortSeen()
    gate.open()
    expect(await keptIds(world)).toEqual([])
  })

  const cut: Act = respond({ body: openaiCompletion('Hel', { finishReason: 'length' }) })
  test.each<[string, boolean, WorldOptions['provider']]>([
    ['whole', false, cut],
    ['streamed', true, answers({ pieces: ['Hel'], finishReason: 'length' })],
  ])('that a limit has cut is kept as incomplete, %s', async (_how, stream, provider) => {
    await using world = await startWorld({ ...(provider && { provider }) })
    const response = await ask(world, { stream })
    await response.text()
    const id = response.headers.get('x-request-id')
    expect(await (await world.request('GET', `/v1/responses/${id}`)).json()).toMatchObject({
      id,
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
    expect((await ask(world, { previous_response_id: id })).status).toBe(200)
  })
})
