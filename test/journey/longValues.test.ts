import { afterAll, beforeAll, expect, test } from 'bun:test'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { CHAT_EXAMPLES } from '../../src/http/docs/chatExamples.ts'
import { exampleOf } from '../../src/http/docs/schemaView.ts'
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi.ts'
import { checkedFetch } from '../support/checkedFetch.ts'
import { longText, repeatedIn, withLongText } from '../support/longValues.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { MESSAGES, MODEL, type World, startWorld } from '../support/world.ts'

/** How many characters of a request a message may repeat, and `param` once more. */
const REPEATED_MAX = 200

const ADMIN_TOKEN = 'admin-token-of-this-test'
/** Beyond what is repeated, within and beyond what names may have, and short enough for the head of a request. */
const LONG_ONES = [250, 2_000].map(longText)
/** As long as bodies may be. */
const LONGEST = longText(1_000_000)
const PAGES_OF_PEOPLE = /^\/(?:docs.*)?$/

let world: World
let document: OpenApiDocument
/** Requests may revoke it. */
let otherKey: string

beforeAll(async () => {
  world = await startWorld({
    workspace: { requests_per_minute: 1_000_000 },
    config: () => ({ server: { admin_token: ADMIN_TOKEN } }),
  })
  otherKey = (await world.operations.createKey(world.workspaceId, { name: 'other' })).id
  document = (await (await fetch(`${world.url}/openapi.json`)).json()) as OpenApiDocument
})
afterAll(() => world.stop())

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: Json
  readonly headers?: Record<string, string>
}

/** Asks. Returns where more is repeated than may be; undefined: nowhere. */
async function excessOf({ method, path, body, headers = {} }: Asked): Promise<string | undefined> {
  const token = path.startsWith('/api/') ? ADMIN_TOKEN : world.secret
  const response = await checkedFetch(world.url + path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  })
  const text = await response.text()
  if (response.ok) return undefined
  const { error } = JSON.parse(text)
  const repeated = { message: repeatedIn(error.message), param: repeatedIn(error.param ?? '') }
  const head = repeatedIn(JSON.stringify([...response.headers]))
  if (repeated.message <= REPEATED_MAX && repeated.param <= REPEATED_MAX && head === 0) return undefined
  return `${method} ${path.slice(0, 80)}: ${response.status} repeats ${JSON.stringify(repeated)}, in headers ${head}: ${String(error.message).slice(0, 80)}`
}

async function excesses(asked: Iterable<Asked>): Promise<string[]> {
  const found = new Set<string>()
  for (const one of asked) {
    const excess = await excessOf(one)
    if (excess !== undefined) found.add(excess)
  }
  return [...found]
}

interface Described {
  readonly method: string
  readonly path: string
  readonly operation: OpenApiOperation
}

function operations(): Described[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** With ids of things that are there, as far as there are such things. */
function filled(path: string): string {
  return path
    .replace('/workspaces/{id}', `/workspaces/${world.workspaceId}`)
    .replace('/keys/{id}', `/keys/${otherKey}`)
    .replace('{model_id}', MODEL)
    .replaceAll(/\{\w+\}/g, 'acme')
}

function* longHeads(long: string): Generator<Asked> {
  for (const { method, path, operation } of operations()) {
    if (PAGES_OF_PEOPLE.test(path)) continue
    for (const parameter of path.match(/\{\w+\}/g) ?? [])
      yield { method, path: filled(path.replace(parameter, long)) }
    for (const { name, in: place } of operation.parameters ?? [])
      if (place === 'query') yield { method, path: `${filled(path)}?${name}=${long}` }
    yield { method, path: `${filled(path)}?${long}=1` }
  }
}

/** Each field of each body, the others as in its example. */
function* longBodies(long: string): Generator<Asked> {
  const { schemas } = document.components
  for (const { method, path, operation } of operations()) {
    const schema = operation.requestBody?.content['application/json']?.schema
    if (schema === undefined || path === CHAT.path) continue
    const example = exampleOf(schema, schemas) as JsonObject
    const known = schemas[schema.$ref?.split('/').at(-1) ?? '']?.properties ?? {}
    const whole = { ...Object.fromEntries(Object.keys(known).map((field) => [field, null])), ...example }
    for (const body of withLongText(whole, long)) yield { method, path: filled(path), body: given(body) }
  }
}

/** Without the fields that only stand for what may be given. */
function given(body: Json): Json {
  if (!isJsonObject(body)) return body
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

const CHAT = { method: 'POST', path: '/v1/chat/completions' }

const CALL = { type: 'function', function: { name: 'dig' } }

/** Fields that a refusal may name, in a request that is taken. */
const EVERYTHING: Json = {
  model: MODEL,
  models: [MODEL],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '5m' } }] },
    { role: 'assistant', tool_calls: [{ id: 'a', ...CALL, function: { name: 'dig', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
  ],
  provider: {
    order: ['acme'],
    only: ['acme'],
    ignore: [],
    sort: 'price',
    max_price: { prompt: 1, completion: 2 },
    allow_fallbacks: true,
  },
  tools: [{ ...CALL, function: { name: 'dig', parameters: {} } }],
  tool_choice: CALL,
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } },
  reasoning_effort: 'low',
  service_tier: 'auto',
  stop: ['x'],
  user: 'x',
  modalities: ['text'],
  verbosity: 'low',
  logit_bias: { '1': 1 },
  stream: true,
  stream_options: { include_usage: true },
}

/** Every field of the examples, and those that none of them has. */
function* longChats(long: string): Generator<Asked> {
  for (const body of withLongText(EVERYTHING, long)) yield { ...CHAT, body }
  for (const { request } of Object.values(CHAT_EXAMPLES))
    for (const body of withLongText({ ...request, model: MODEL }, long)) yield { ...CHAT, body }
  const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`${longText(20)}${i}`, 1]))
  yield { ...CHAT, body: { model: MODEL, messages: MESSAGES, ...names } }
}

test('the request of which each field is tried is taken as it is', async () => {
  const response = await world.request('POST', CHAT.path, EVERYTHING)
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('[DONE]')])
})

test(
  'no answer repeats more than 200 characters of a field of a chat completion, however long it is',
  async () => expect(await excesses(LONG_ONES.flatMap((long) => [...longChats(long)]))).toEqual([]),
  TEST_LIMIT_MS,
)

test(
  'nor of a path or a query, at any endpoint of the OpenAPI document',
  async () => expect(await excesses(LONG_ONES.flatMap((long) => [...longHeads(long)]))).toEqual([]),
  TEST_LIMIT_MS,
)

function misdirected(long: string): Asked[] {
  const body = { model: MODEL, messages: MESSAGES }
  return [
    { method: 'GET', path: `/v1/${long}` },
    { method: 'POST', path: `/v1/models/${long}/${long}` },
    { method: 'GET', path: `/v1/generation?id=chatcmpl-${long}` },
    { method: 'GET', path: `/${long}` },
    { method: 'GET', path: `/docs/${long}` },
    { method: 'GET', path: `/docs/errors/${long}` },
    { method: 'GET', path: `/api/v1/admin/${long}` },
    ...['idempotency-key', 'content-type', 'content-encoding', 'accept', 'origin', 'x-request-id'].map(
      (name): Asked => ({ ...CHAT, body, headers: { [name]: long } }),
    ),
  ]
}

test('nor of a path that is not there, or of a header', async () =>
  expect(await excesses(LONG_ONES.flatMap(misdirected))).toEqual([]))

test(
  'nor of a field of any body of the admin API',
  async () => expect(await excesses(LONG_ONES.flatMap((long) => [...longBodies(long)]))).toEqual([]),
  TEST_LIMIT_MS,
)

test('a value of 1,000,000 characters leaves an answer of less than 1,000', async () => {
  const bodies: readonly Record<string, Json>[] = [
    { model: LONGEST },
    { models: [LONGEST] },
    { messages: [{ role: LONGEST, content: 'x' }] },
    { [LONGEST]: 1, n: 0 },
    ...['order', 'only', 'ignore'].map((field) => ({ provider: { [field]: [LONGEST] } })),
  ]
  for (const body of bodies) {
    const response = await world.chat(body)
    const text = await response.text()
    expect([response.ok, text.length < 1_000, text]).toEqual([false, true, expect.any(String)])
  }
})
