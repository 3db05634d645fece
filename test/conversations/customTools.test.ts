import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import { type Json, type JsonObject, parseJson } from '../../src/core/json.ts'
import type { WireFormatId } from '../../src/wire/formats.ts'
import { receiptOf } from '../support/receiptOf.ts'
import { type World, startWorld } from '../support/world.ts'
import { chatCaller, responsesCaller } from './callers.ts'
import { type CodecProvider, startCodecProvider } from './codecProvider.ts'
import { USAGE, call, calls, tool, user } from './conversation.ts'
import { SPOKEN_BY } from './spokenBy.ts'

/** Custom tools at providers that have none, for callers of chat completions and of Responses. */

const FORMATS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-generate',
  'bedrock-converse',
  'mistral-chat',
  'cohere-chat',
] as const satisfies readonly WireFormatId[]

const CALLERS = { chat: chatCaller, Responses: responsesCaller }

const GRAMMAR = { syntax: 'lark', definition: 'start: begin hunk+ end\nbegin: "*** Begin"' }
const PATCH: JsonObject = {
  type: 'custom',
  custom: { name: 'patch', description: 'Edits files.', format: { type: 'grammar', grammar: GRAMMAR } },
}
const EARLIER = '*** Begin\n+"ß"\\n\t😀'
const INPUT = '*** Begin Patch\n-a "quoted" \\d+ 😀😀😀\n+é\u2028\t{"input":"x"}\n*** End Patch'

const REQUEST: JsonObject = {
  max_tokens: 1_000,
  messages: [
    user('Patch it.'),
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'D681PevKa', type: 'custom', custom: { name: 'patch', input: EARLIER } }],
    },
    { role: 'tool', tool_call_id: 'D681PevKa', content: 'Failed.' },
    user('Once more.'),
  ],
  tools: [PATCH, tool('weather')],
  tool_choice: 'required',
}

/** Providers without custom tools: one of OpenAI's formats does not become OpenAI by it. */
function providerOf(format: WireFormatId): {
  readonly name: string
  readonly model: string
  readonly more: JsonObject
} {
  const { provider, model } = SPOKEN_BY[format]
  if (format === 'openai-chat') return { name: 'imitator', model: 'm', more: {} }
  if (format === 'openai-responses')
    return { name: 'other', model: 'm', more: { quirks: { custom_tools: false } } }
  return { name: provider, model, more: {} }
}

let world: World
const providers = new Map<WireFormatId, CodecProvider>()

beforeAll(async () => {
  for (const id of FORMATS) providers.set(id, startCodecProvider(id))
  world = await startWorld({
    balance: '100',
    workspace: { requests_per_minute: 10_000 },
    config: () => ({
      providers: Object.fromEntries([...providers].map(([id, provider]) => providerEntry(id, provider))),
      models: FORMATS.map(modelEntry),
    }),
  })
})
afterAll(async () => {
  await world.stop()
  for (const provider of providers.values()) await provider[Symbol.asyncDispose]()
})

function providerEntry(id: WireFormatId, { url }: CodecProvider): [string, Json] {
  const { name, more } = providerOf(id)
  return [name, { wire: id, base_url: url, api_key: 'k', ...more }]
}

function modelEntry(id: WireFormatId): Json {
  const { name, model } = providerOf(id)
  return {
    id: `test/${id}`,
    context_length: 128_000,
    max_output_tokens: 4_096,
    our_price: { input: 0.5, output: 1.5 },
    unsupported_fields: [],
    targets: [{ provider: name, model }],
  }
}

function scripted(format: WireFormatId): CodecProvider {
  const provider = providers.get(format)
  if (provider === undefined) throw new Error(`no provider speaks ${format}`)
  return provider
}

/** Tools and calls as the provider got them. */
function functionsIn(request: ChatRequest | undefined): unknown {
  const made = request?.messages.flatMap(({ tool_calls: all }) => all ?? []) ?? []
  return {
    tools: request?.tools?.map(({ function: called }) => called?.name),
    calls: made.map(({ function: { name, arguments: text } }) => [name, parseJson(text)]),
  }
}

describe.each(FORMATS)('over %s', (format) => {
  for (const [speech, caller] of Object.entries(CALLERS))
    test.each([false, true])(
      `a caller of ${speech} has its custom tool called, and its earlier call understood (streamed: %p)`,
      async (stream) => {
        const provider = scripted(format)
        const patch = call('D681PevKb', 'patch', { input: INPUT })
        const weather = call('D681PevKc', 'weather', { city: 'Kiel' })
        provider.script(calls([patch, weather]))
        const response = await caller.ask(world, { model: `test/${format}`, ...REQUEST }, stream)
        expect(response.status).toBe(200)
        const answer = await caller.hear(response, stream, 1)
        const [choice] = answer.choices
        expect(choice?.finishReason).toBe('tool_calls')
        expect(choice?.message.tool_calls).toMatchObject([
          { type: 'custom', custom: { name: 'patch', input: INPUT } },
          { type: 'function', function: weather.function },
        ])
        const [sent] = provider.received
        expect(functionsIn(sent)).toEqual({
          tools: ['patch', 'weather'],
          calls: [['patch', { input: EARLIER }]],
        })
        expect(sent?.tools?.[0]?.function?.description).toContain(GRAMMAR.definition)
        await world.settled()
        const { usage } = await receiptOf(world.operations, response.headers.get('x-request-id') ?? '')
        expect(usage).toMatchObject({ source: 'reported', completion_tokens: USAGE.completionTokens })
      },
    )
})

test.each([
  ['one', { type: 'custom', custom: { name: 'patch' } }],
  [
    'some',
    {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'custom', custom: { name: 'patch' } }] },
    },
  ],
])('a choice of %s is that of the function', async (_, choice) => {
  for (const caller of Object.values(CALLERS)) {
    const provider = scripted('anthropic-messages')
    provider.script(calls([call('D681PevKb', 'patch', { input: INPUT })]))
    const request = { model: 'test/anthropic-messages', ...REQUEST, tool_choice: choice }
    expect((await caller.ask(world, request, false)).status).toBe(200)
    const [sent] = provider.received
    expect([sent?.toolChoice, sent?.tools?.length]).toEqual(
      choice.type === 'custom' ? [{ type: 'function', function: { name: 'patch' } }, 2] : ['required', 1],
    )
  }
})

test.each([
  ['chat', 'tools[0].custom.name'],
  ['Responses', 'tools[0].name'],
] as const)('two tools of one name are refused by it, to a caller of %s', async (speech, param) => {
  const caller = CALLERS[speech]
  const request = { model: 'test/cohere-chat', ...REQUEST, tools: [PATCH, tool('patch')] }
  const response = await caller.ask(world, request, false)
  expect(response.status).toBe(400)
  expect(await caller.hearError(response)).toMatchObject({ code: 'invalid_request', param })
})
