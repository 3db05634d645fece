import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { JsonObject } from '../../src/core/json.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { leaksIn } from '../support/privateWords.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import {
  type Act,
  close,
  openaiCompletion,
  openaiError,
  respond,
  stream,
} from '../support/scriptedProvider.ts'
import { responseEvent, responseStream, upstreamResponse } from '../support/scriptedResponses.ts'
import { MODEL, type World, standardConfig, startWorld } from '../support/world.ts'

/** What is left of kept conversations when they are gone. */

const MARKER = 'ZinniaQuokkaOboe7731'
const ADMIN_TOKEN = 'token-of-the-operator'
const DAY_MS = 24 * 60 * 60_000

/** Everything that a caller can say, with the marker in it. */
const SAID: JsonObject = {
  model: MODEL,
  max_output_tokens: 200,
  instructions: `Instructions ${MARKER}`,
  metadata: { [MARKER]: MARKER },
  safety_identifier: MARKER,
  prompt_cache_key: MARKER,
  include: ['reasoning.encrypted_content'],
  text: {
    format: {
      type: 'json_schema',
      name: MARKER,
      schema: {
        type: 'object',
        properties: { [MARKER]: { type: 'string', description: MARKER } },
        required: [MARKER],
        additionalProperties: false,
      },
    },
  },
  tools: [
    { type: 'function', name: MARKER, description: MARKER, parameters: { type: 'object', title: MARKER } },
    { type: 'custom', name: `${MARKER}_2`, description: MARKER },
  ],
  input: [
    { type: 'message', id: `msg_${MARKER}in`, role: 'developer', content: MARKER },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: `Question ${MARKER}` },
        { type: 'input_image', image_url: `data:image/png;base64,${btoa(MARKER)}` },
      ],
    },
    { type: 'function_call', call_id: `call_${MARKER}in`, name: MARKER, arguments: `{"a":"${MARKER}"}` },
    { type: 'function_call_output', call_id: `call_${MARKER}in`, output: MARKER },
    { role: 'user', content: MARKER },
  ],
}

/** Everything that a provider of this format can say. */
const OUTPUT: readonly JsonObject[] = [
  {
    type: 'reasoning',
    id: `rs_${MARKER}`,
    summary: [{ type: 'summary_text', text: MARKER }],
    content: [{ type: 'reasoning_text', text: MARKER }],
    encrypted_content: `gAAAA${MARKER}`,
  },
  {
    type: 'message',
    id: `msg_${MARKER}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: `Answer ${MARKER}`, annotations: [], logprobs: [] }],
  },
  {
    type: 'function_call',
    id: `fc_${MARKER}`,
    call_id: `call_${MARKER}`,
    name: MARKER,
    arguments: `{"a":"${MARKER}"}`,
    status: 'completed',
  },
]

const RESPONSE = upstreamResponse(OUTPUT, { id: `resp_${MARKER}`, metadata: { [MARKER]: MARKER } })

interface Lane {
  readonly wire: string
  readonly whole: Act
  readonly streamed: Act
  readonly cut: Act
}

const CHUNK = { role: 'assistant', content: `Answer ${MARKER}`, reasoning_content: MARKER }
const COMPLETION = openaiCompletion(`Answer ${MARKER}`, { more: { id: MARKER } })

const LANES: readonly Lane[] = [
  {
    wire: 'openai-responses',
    whole: respond({ body: RESPONSE }),
    streamed: stream(responseStream(RESPONSE)),
    cut: stream([
      ...responseStream(RESPONSE).slice(0, -1),
      responseEvent({ type: 'error', code: 'server_error', message: MARKER, param: MARKER }),
    ]),
  },
  {
    wire: 'openai-chat',
    whole: respond({ body: COMPLETION }),
    streamed: stream([chunk(CHUNK), chunk({}, 'stop'), 'data: [DONE]\n\n']),
    cut: stream([chunk(CHUNK), close()]),
  },
]

function chunk(delta: JsonObject, finish: string | null = null): JsonObject {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return { id: MARKER, object: 'chat.completion.chunk', created: 1, model: 'm', choices }
}

interface Engine {
  readonly databaseUrl: () => Promise<string | undefined>
  /** Every row of every table. */
  readonly dump: (world: World) => Promise<string>
}

const SQLITE: Engine = {
  databaseUrl: () => Promise.resolve(undefined),
  dump({ settings: { database } }) {
    if (database.engine !== 'sqlite') throw new Error('expected a file')
    using file = new Database(database.path)
    const tables = file
      .query<{ name: string }, []>(`select name from sqlite_master where type = 'table'`)
      .all()
    const rows = tables.flatMap(({ name }) => file.query<JsonObject, []>(`select * from "${name}"`).all())
    return Promise.resolve(JSON.stringify(rows))
  },
}

const POSTGRES: Engine = {
  databaseUrl: async () => (await sharedPostgres()).createDatabase(),
  async dump({ databaseUrl }) {
    await using sql = new SQL(databaseUrl, { max: 1 })
    const tables = await sql.unsafe<{ name: string }[]>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    )
    const rows: string[] = []
    for (const { name } of tables)
      for (const { row } of await sql.unsafe<{ row: string }[]>(`select t::text as row from "${name}" as t`))
        rows.push(row)
    return rows.join('\n')
  },
}

const ENGINES: readonly (readonly [string, Engine])[] = [
  ['SQLite', SQLITE],
  ...(mustSkip('traces of kept responses on Postgres') ? [] : ([['Postgres', POSTGRES]] as const)),
]

const CASES = ENGINES.flatMap(([name, engine]) =>
  LANES.map((lane) => [name, lane.wire, engine, lane] as const),
)

/** Has conversations of every kind; gives the ids of all calls, and of those that are kept. */
async function converse(
  world: World,
  { whole, streamed, cut }: Lane,
): Promise<{ ids: string[]; kept: string[] }> {
  const ids: string[] = []
  const ask = async (act: Act, more: JsonObject, status: number): Promise<string> => {
    world.provider.play(act)
    const response = await world.request('POST', '/v1/responses', { ...SAID, ...more })
    await response.text()
    expect(response.status).toBe(status)
    const id = response.headers.get('x-request-id') ?? ''
    ids.push(id)
    return id
  }
  const first = await ask(whole, {}, 200)
  const second = await ask(streamed, { stream: true, previous_response_id: first }, 200)
  const third = await ask(whole, { input: [{ type: 'item_reference', id: `msg_${MARKER}in` }] }, 200)
  await ask(cut, { stream: true, previous_response_id: second }, 200)
  for (const status of [400, 500])
    await ask(
      openaiError(status, { message: MARKER, param: MARKER }),
      { previous_response_id: first },
      status === 400 ? 400 : 502,
    )
  await ask(whole, { previous_response_id: 'resp_none' }, 400)
  await ask(
    whole,
    {
      input: [
        { type: 'item_reference', id: 'msg_none' },
        { role: 'user', content: MARKER },
      ],
    },
    404,
  )
  await ask(whole, { temperature: 'hot' }, 400)
  for (const path of [`/v1/responses/${first}`, `/v1/responses/${second}/input_items`]) {
    const shown = await (await world.request('GET', path)).text()
    expect(shown).toContain(MARKER)
  }
  await (
    await world.request('POST', '/v1/responses/input_tokens', { ...SAID, previous_response_id: first })
  ).text()
  await world.settled()
  return { ids, kept: [first, second, third] }
}

/** What may be read of calls beside the answers of their callers. */
async function recordsOf(world: World, ids: readonly string[]): Promise<string> {
  const admin = async (path: string): Promise<string> => {
    const authorization = `Bearer ${ADMIN_TOKEN}`
    return (await world.request('GET', `/api/v1/admin/${path}`, undefined, { authorization })).text()
  }
  const texts = await Promise.all([
    ...ids.map((id) => admin(`requests/${id}`)),
    ...ids.map(async (id) => (await world.request('GET', `/v1/generation?id=${id}`)).text()),
    ...['requests', 'audit', 'providers', `workspaces/${world.workspaceId}/ledger`].map(admin),
    fetch(`${world.url}/metrics`).then((response) => response.text()),
  ])
  return texts.join('\n')
}

describe.each(CASES)('on %s, of a provider that speaks %s', (_engine, _wire, engine, lane) => {
  test.each(['been deleted', 'expired'] as const)(
    'a conversation that has %s leaves nothing of what was said: not in the log, receipts, refused calls, audit log, metrics or tables',
    async (how) => {
      const path = join(tmpdir(), `tollgate-traces-${crypto.randomUUID()}.log`)
      const databaseUrl = await engine.databaseUrl()
      const world = await startWorld({
        ...(databaseUrl !== undefined && { databaseUrl }),
        balance: '1000',
        config: (provider) => {
          const { models } = standardConfig(provider)
          const acme = { wire: lane.wire, base_url: provider.baseUrl, api_key: 'provider-secret' }
          return {
            server: { admin_token: ADMIN_TOKEN },
            log: { level: 'debug', prompts: false },
            providers: { acme },
            models,
          }
        },
        log: { level: 'debug', descriptor: openSync(path, 'w') },
      })
      try {
        const { ids, kept } = await converse(world, lane)
        expect(await engine.dump(world)).toContain(MARKER)
        if (how === 'been deleted')
          for (const id of kept)
            expect((await world.request('DELETE', `/v1/responses/${id}`)).status).toBe(200)
        else expect(await world.gateway.store.keptResponses.expire(Date.now() + 2 * DAY_MS)).toBe(kept.length)
        const records = await recordsOf(world, ids)
        for (const id of ids) expect(records).toContain(id)
        const marker = { marker: MARKER }
        expect(leaksIn(records, marker)).toEqual([])
        expect(leaksIn(await engine.dump(world), marker)).toEqual([])
        const log = readFileSync(path, 'utf8')
        expect(log).toContain('call to provider failed')
        expect(leaksIn(log, marker)).toEqual([])
      } finally {
        await world.stop()
        rmSync(path)
      }
    },
    TEST_LIMIT_MS,
  )
})
