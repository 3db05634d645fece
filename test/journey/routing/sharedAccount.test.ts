import { expect, test } from 'bun:test'
import { isJsonObject } from '../../../src/core/json.ts'
import { errorOf } from '../../support/readAnswer.ts'
import { answers } from '../../support/scriptedProvider.ts'
import { type RoutingWorld, startRoutingWorld } from './routingWorld.ts'

const HELLO = answers({ pieces: ['Hello'] })
const IDS = {
  user: 'anna',
  prompt_cache_key: 'chat-7',
  safety_identifier: 'anna',
  metadata: { user_id: 'anna', trace: 'x' },
}
const WITH_FILE = {
  max_tokens: 20,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Read it.' },
        { type: 'file', file: { file_id: 'file-1' } },
      ],
    },
  ],
}

const FUNCTION = { type: 'function', function: { name: 'read' } }
const SCHEMA = { type: 'object', properties: { file_id: { type: 'string' } } }

function askedAbout(part: object): object {
  return { messages: [{ role: 'user', content: [{ type: 'text', text: 'Read it.' }, part] }] }
}

/** What names something in an account, by the field that the error names. */
const NAMING: readonly [string, object][] = [
  ['messages[0].content[1].video_url.url', askedAbout({ type: 'video_url', video_url: { url: 'ms://f' } })],
  ['messages[0].content[1].image_url.url', askedAbout({ type: 'image_url', image_url: { url: 'ms://f' } })],
  ['messages[0].content[1].image_url', askedAbout({ type: 'image_url', image_url: 'oss://bucket/1.png' })],
  [
    'messages[0].content[1].image_url.url',
    askedAbout({
      type: 'image_url',
      image_url: { url: 'ht\ntps://x@%67enerativelanguage.googleapis.com.:443/v1beta/files/f' },
    }),
  ],
  ['messages[0].content', { messages: [{ role: 'system', content: 'fileid://file-fe-1' }] }],
  ['messages[0].file_id', { messages: [{ role: 'user', content: 'Read it.', file_id: 'file-1' }] }],
  [
    'prediction.content[0].file.file_id',
    { prediction: { type: 'content', content: [{ type: 'file', file: { file_id: 'f' } }] } },
  ],
  ['tools[0].vector_store_ids', { tools: [{ ...FUNCTION, vector_store_ids: ['vs_1'] }] }],
  [
    'tool_choice.vector_store_ids',
    { tools: [FUNCTION], tool_choice: { type: 'file_search', vector_store_ids: ['vs_1'] } },
  ],
  ['response_format.file_id', { response_format: { type: 'text', file_id: 'file-1' } }],
]

/** What callers, models and programs write. */
const WRITING: readonly object[] = [
  { tools: [{ type: 'function', function: { name: 'read', parameters: SCHEMA } }] },
  { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: SCHEMA } } },
  { messages: [{ role: 'user', content: 'gs://bucket/file has which file_id?' }] },
  {
    messages: [
      { role: 'user', content: 'Read it.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'read', arguments: '{"file_id":"gs://b/1"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: '{"file_id":"gs://b/1"}' },
    ],
  },
  askedAbout({ type: 'image_url', image_url: { url: 'https://storage.googleapis.com/public/cat.png' } }),
]

/** What the provider got as the last request. */
async function lastSent(world: RoutingWorld): Promise<Record<string, unknown>> {
  const scripted = world.provider('first')
  const { body } = await scripted.request(scripted.requests.length - 1)
  if (!isJsonObject(body)) throw new Error('the gateway sent no JSON object')
  return body
}

test('the same name of a user or of a cache is another for another workspace, and never the name itself', async () => {
  await using world = await startRoutingWorld({ providers: { first: HELLO } })
  const other = await world.another('other')
  expect((await world.chat({ max_tokens: 20, ...IDS })).status).toBe(200)
  const ours = await lastSent(world)
  expect((await world.chat({ max_tokens: 20, ...IDS })).status).toBe(200)
  const again = await lastSent(world)
  expect((await other.chat({ max_tokens: 20, ...IDS })).status).toBe(200)
  const theirs = await lastSent(world)
  for (const name of ['user', 'prompt_cache_key', 'safety_identifier'] as const) {
    expect(ours[name]).toEndWith(`-${IDS[name]}`)
    expect(again[name]).toBe(ours[name])
    expect(theirs[name]).not.toBe(ours[name])
  }
  expect(ours['metadata']).toMatchObject({ trace: 'x' })
  expect(ours['metadata']).not.toEqual(theirs['metadata'])
})

test('the receipt has the name that the caller gave', async () => {
  await using world = await startRoutingWorld({ providers: { first: HELLO } })
  expect((await world.receiptOf(await world.chat({ max_tokens: 20, user: 'anna' }))).user).toBe('anna')
})

test("what names a file in the operator's account is a 400, and nothing is sent or charged", async () => {
  await using world = await startRoutingWorld({ providers: { first: HELLO } })
  const response = await world.chat(WITH_FILE)
  expect(response.status).toBe(400)
  expect(await errorOf(response)).toMatchObject({
    code: 'invalid_request',
    param: 'messages[0].content[1].file.file_id',
  })
  expect(world.counts()).toEqual({ first: 0 })
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
})

test("whatever names something in the operator's account, in any field and however it is written, reaches no provider", async () => {
  await using world = await startRoutingWorld({ providers: { first: HELLO } })
  for (const stream of [false, true]) {
    for (const [param, body] of NAMING) {
      const response = await world.chat({ max_tokens: 20, stream, ...body })
      expect([response.status, param]).toEqual([400, param])
      expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param })
    }
  }
  expect(world.counts()).toEqual({ first: 0 })
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
})

test("what people, models and the caller's programs write reaches the provider as it came", async () => {
  await using world = await startRoutingWorld({ providers: { first: HELLO } })
  for (const body of WRITING) {
    expect((await world.chat({ max_tokens: 20, ...body })).status).toBe(200)
    expect(await lastSent(world)).toMatchObject({ ...body })
  }
})

test('the operator may allow it, for all providers of the model', async () => {
  const allowed = { allow_account_names: true }
  await using world = await startRoutingWorld({ providers: { first: HELLO }, settings: { first: allowed } })
  expect((await world.chat(WITH_FILE)).status).toBe(200)
  expect(JSON.stringify((await lastSent(world))['messages'])).toContain('file-1')
  await using mixed = await startRoutingWorld({
    providers: { first: HELLO, second: HELLO },
    settings: { first: allowed },
  })
  expect((await mixed.chat(WITH_FILE)).status).toBe(400)
})
