import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { readText } from '../../src/wire/read.ts'
import { type Script, inTurn, respond, sse, stream } from '../support/scriptedProvider.ts'
import { MODEL, type World, startWorld } from '../support/world.ts'

/** `POST /v1/messages` at a provider of the same format: what comes through, there and back. */

const USER = { role: 'user', content: 'Weather?' }
const USAGE = {
  input_tokens: 20,
  cache_read_input_tokens: 300,
  cache_creation_input_tokens: 10,
  output_tokens: 5,
}
const SIGNATURE = 'EqQBCgIYAhIM+/=1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds=='

function messageOf(content: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: USAGE,
    ...more,
  }
}

/** The same answer whole or as a stream, as the request asks. */
function answersWith(blocks: readonly JsonObject[], delta: JsonObject = {}): Script {
  return ({ body }) =>
    (body as JsonObject).stream === true
      ? stream(framesOf(blocks, delta))
      : respond({ body: messageOf(blocks, delta) })
}

function framesOf(blocks: readonly JsonObject[], delta: JsonObject): string[] {
  const event = (type: string, more: JsonObject) => sse({ type, ...more }, { event: type })
  return [
    event('message_start', {
      message: { ...messageOf([]), stop_reason: null, usage: { ...USAGE, output_tokens: 1 } },
    }),
    ...blocks.flatMap((block, index) => [
      event('content_block_start', { index, content_block: emptied(block) }),
      ...deltasOf(block).map((change) => event('content_block_delta', { index, delta: change })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null, ...delta },
      usage: USAGE,
    }),
    event('message_stop', {}),
  ]
}

function emptied(block: JsonObject): JsonObject {
  return block.type === 'thinking'
    ? { type: 'thinking', thinking: '', signature: '' }
    : { ...block, text: '' }
}

/** A signature may come in several pieces. */
function deltasOf({ type, text, thinking, signature }: JsonObject): JsonObject[] {
  if (type === 'text') return [{ type: 'text_delta', text: text ?? '' }]
  const signed = readText(signature) ?? ''
  return [
    { type: 'thinking_delta', thinking: thinking ?? '' },
    { type: 'signature_delta', signature: signed.slice(0, 7) },
    { type: 'signature_delta', signature: signed.slice(7) },
  ]
}

function startAnthropic(provider: Script): Promise<World> {
  return startWorld({
    provider,
    config: ({ baseUrl }) => ({
      providers: { acme: { wire: 'anthropic-messages', base_url: baseUrl, api_key: 'provider-secret' } },
    }),
  })
}

async function ask(world: World, more: object = {}): Promise<JsonObject> {
  const body = { model: MODEL, max_tokens: 50, messages: [USER], ...more }
  const response = await world.request('POST', '/v1/messages', body)
  expect(response.status).toBe(200)
  return (await response.json()) as JsonObject
}

async function eventsOf(world: World, more: object = {}): Promise<JsonObject[]> {
  const body = { model: MODEL, max_tokens: 50, messages: [USER], stream: true, ...more }
  const text = await (await world.request('POST', '/v1/messages', body)).text()
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : [])) as JsonObject[]
}

describe('a thought', () => {
  const blocks = [
    { type: 'thinking', thinking: 'Hm.', signature: SIGNATURE },
    { type: 'text', text: 'Cold.' },
  ]

  test('comes back to its model with its signature byte for byte', async () => {
    await using world = await startAnthropic(answersWith(blocks))
    const { content } = await ask(world)
    expect(content).toMatchObject(blocks)
    await ask(world, { messages: [USER, { role: 'assistant', content }, USER] })
    const { messages } = (await world.provider.request(1)).body as { messages: JsonObject[] }
    expect(messages[1]?.content).toMatchObject(blocks)
  })

  test('has the same signature in a stream', async () => {
    await using world = await startAnthropic(answersWith(blocks))
    const deltas = (await eventsOf(world)).map(({ delta }) => delta as JsonObject | undefined)
    const signature = deltas.map((delta) => readText(delta?.signature) ?? '').join('')
    expect(signature).toBe(SIGNATURE)
  })
})

test('a stream says what the cache read and wrote, at its start and at its end', async () => {
  await using world = await startAnthropic(answersWith([{ type: 'text', text: 'Cold.' }]))
  const events = await eventsOf(world)
  const { output_tokens: output, ...prompt } = USAGE
  expect(events[0]).toMatchObject({ type: 'message_start', message: { usage: prompt } })
  expect(events.at(-2)).toMatchObject({ type: 'message_delta', usage: { ...prompt, output_tokens: output } })
})

test.each(['pause_turn', 'model_context_window_exceeded'])(
  'an answer that ends with %s says so, whole and in a stream, and the next request goes on with it',
  async (reason) => {
    const paused = answersWith([{ type: 'text', text: 'I look.' }], { stop_reason: reason })
    await using world = await startAnthropic(paused)
    const { stop_reason: said, content } = await ask(world)
    expect(said).toBe(reason)
    expect((await eventsOf(world)).at(-2)).toMatchObject({ delta: { stop_reason: reason } })
    await ask(world, { messages: [USER, { role: 'assistant', content }] })
    const { messages } = (await world.provider.request(2)).body as { messages: JsonObject[] }
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  },
)

test('a refusal has its reason and its explanation, whole and in a stream', async () => {
  const stopped = {
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: null, explanation: 'Not this.' },
  }
  await using world = await startAnthropic(answersWith([{ type: 'text', text: 'I' }], stopped))
  expect(await ask(world)).toMatchObject(stopped)
  expect((await eventsOf(world)).at(-2)).toMatchObject({ delta: stopped })
})

test('breakpoints of the prompt cache stay where they are', async () => {
  const cache = { cache_control: { type: 'ephemeral' } }
  const text = { type: 'text', text: 'x', ...cache }
  const use = { type: 'tool_use', id: 'a', name: 'weather', input: {}, ...cache }
  const result = { type: 'tool_result', tool_use_id: 'a', content: '-3', ...cache }
  await using world = await startAnthropic(
    inTurn(respond({ body: messageOf([{ type: 'text', text: 'Cold.' }]) })),
  )
  await ask(world, {
    system: [text],
    tools: [{ name: 'weather', input_schema: { type: 'object', properties: {} }, ...cache }],
    messages: [
      { role: 'user', content: [text] },
      { role: 'assistant', content: [text, use] },
      { role: 'user', content: [result, text] },
    ],
  })
  const { system, tools, messages } = (await world.provider.request()).body as JsonObject
  expect({ system, tools, messages }).toMatchObject({
    system: [text],
    tools: [cache],
    messages: [{ content: [text] }, { content: [text, use] }, { content: [result, text] }],
  })
})
