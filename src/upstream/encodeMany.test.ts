import { describe, expect, test } from 'bun:test'
import { slownessOfMachine } from '../../test/support/slowness.ts'
import { testRoute } from '../../test/support/testRoute.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import type { JsonObject } from '../core/json.ts'
import type { Provider } from '../providers/provider.ts'
import { anthropicMessages } from '../wire/anthropic-messages/anthropicMessages.ts'
import { WIRE_FORMATS, WIRE_FORMAT_IDS } from '../wire/formats.ts'
import { openAiChat } from '../wire/openai-chat/openAiChat.ts'
import { openAiResponses } from '../wire/openai-responses/openAiResponses.ts'
import { UnsupportedField } from '../wire/wire.ts'
import { encodeFor } from './encodeFor.ts'

const FEW = 5_000
const MANY = 20_000
/** With four times as much to do, time that grows with its square is sixteen times as long. */
const GROWTH_MAX = 12
/** Below this, CPU milliseconds on the machine of `slowness.ts`, garbage collection decides. */
const NOISE_MS = 150
/** Of what took too long, the best of so many counts. */
const ROUNDS = 3
const slowness = slownessOfMachine()

const CALLERS = { chat: openAiChat, messages: anthropicMessages, responses: openAiResponses }
type Caller = keyof typeof CALLERS

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } }

/** A body that has so many of something. */
const BODIES: Readonly<Record<string, readonly [Caller, (count: number) => JsonObject]>> = {
  'custom tools of chat completions': [
    'chat',
    (count) => ({
      messages: HELLO,
      tools: list(count, (i) => ({ type: 'custom', custom: { name: `c${i}` } })),
    }),
  ],
  'functions of chat completions': [
    'chat',
    (count) => ({
      messages: HELLO,
      tools: list(count, (i) => ({
        type: 'function',
        function: { name: `f${i}`, parameters: SCHEMA, strict: true },
      })),
    }),
  ],
  'allowed names of chat completions': [
    'chat',
    (count) => ({
      messages: HELLO,
      tools: list(count, (i) => ({ type: 'function', function: { name: `f${i}` } })),
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: list(count, (i) => ({ type: 'function', function: { name: `f${count - i}` } })),
        },
      },
    }),
  ],
  'calls with results of chat completions': [
    'chat',
    (count) => ({
      messages: [
        ...HELLO,
        {
          role: 'assistant',
          content: null,
          tool_calls: list(count, (i) => ({
            id: `call ${i}`,
            type: 'function',
            function: { name: 'f', arguments: '{}' },
          })),
        },
        ...list(count, (i) => ({ role: 'tool', tool_call_id: `call ${i}`, content: 'done' })),
      ],
    }),
  ],
  'calls with one id': [
    'chat',
    (count) => ({
      messages: [
        ...HELLO,
        {
          role: 'assistant',
          content: null,
          tool_calls: list(count, () => ({
            id: 'call',
            type: 'function',
            function: { name: 'f', arguments: '{}' },
          })),
        },
        ...list(count, () => ({ role: 'tool', tool_call_id: 'call', content: 'done' })),
      ],
    }),
  ],
  'thoughts of one answer': [
    'chat',
    (count) => ({
      messages: [
        ...HELLO,
        {
          role: 'assistant',
          content: 'Hi',
          reasoning_details: list(count, (i) => ({
            type: 'reasoning.encrypted',
            data: 'AAAA',
            format: 'openai-responses-v1',
            ...(i % 2 === 0 ? { id: 'same' } : { index: i }),
          })),
        },
        ...HELLO,
      ],
    }),
  ],
  messages: ['chat', (count) => ({ messages: list(count, () => ({ role: 'user', content: 'Hi' })) })],
  'unknown fields': [
    'chat',
    (count) => ({ messages: HELLO, ...Object.fromEntries(list(count, (i) => [`x${i}`, 1])) }),
  ],
  'functions of Messages': [
    'messages',
    (count) => ({
      max_tokens: 10,
      messages: HELLO,
      tools: list(count, (i) => ({ name: `f${i}`, input_schema: SCHEMA })),
    }),
  ],
  'calls with results of Messages': [
    'messages',
    (count) => ({
      max_tokens: 10,
      messages: [
        ...HELLO,
        {
          role: 'assistant',
          content: list(count, (i) => ({ type: 'tool_use', id: `call${i}`, name: 'f', input: {} })),
        },
        {
          role: 'user',
          content: list(count, (i) => ({ type: 'tool_result', tool_use_id: `call${i}`, content: 'done' })),
        },
      ],
    }),
  ],
  'custom tools of Responses': [
    'responses',
    (count) => ({ input: 'Hi', tools: list(count, (i) => ({ type: 'custom', name: `c${i}` })) }),
  ],
  'functions of Responses': [
    'responses',
    (count) => ({
      input: 'Hi',
      tools: list(count, (i) => ({ type: 'function', name: `f${i}`, parameters: SCHEMA })),
    }),
  ],
  'allowed names of Responses': [
    'responses',
    (count) => ({
      input: 'Hi',
      tools: list(count, (i) => ({ type: 'custom', name: `c${i}` })),
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: list(count, (i) => ({ type: 'custom', name: `c${count - i}` })),
      },
    }),
  ],
  'custom calls with results of Responses': [
    'responses',
    (count) => ({
      input: [
        ...HELLO,
        ...list(count, (i) => ({ type: 'custom_tool_call', call_id: `c${i}`, name: `c${i}`, input: 'x' })),
        ...list(count, (i) => ({ type: 'custom_tool_call_output', call_id: `c${i}`, output: 'done' })),
      ],
      tools: list(count, (i) => ({ type: 'custom', name: `c${i}` })),
    }),
  ],
  'thoughts of Responses': [
    'responses',
    (count) => ({
      input: [
        ...HELLO,
        ...list(count, (i) => ({ type: 'reasoning', id: `r${i}`, summary: [], encrypted_content: 'AAAA' })),
        { role: 'assistant', content: 'Hi' },
        ...HELLO,
      ],
    }),
  ],
  'inclusions of Responses': [
    'responses',
    (count) => ({
      input: 'Hi',
      include: list(count, (i) => (i % 2 === 0 ? 'reasoning.encrypted_content' : 'x')),
    }),
  ],
  'options of reasoning': [
    'responses',
    (count) => ({ input: 'Hi', reasoning: Object.fromEntries(list(count, (i) => [`x${i}`, 1])) }),
  ],
}

const HELLO = [{ role: 'user', content: 'Hi' }]

function list<Item>(count: number, itemAt: (i: number) => Item): Item[] {
  return Array.from({ length: count }, (_, i) => itemAt(i))
}

/** CPU milliseconds. */
function costOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

function readAs(caller: Caller, body: JsonObject): ChatRequest {
  const decoded = CALLERS[caller].server.decodeRequest({ model: 'm', ...body })
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.refusal))
  return decoded.request
}

function growsWithItsSize(work: (count: number) => () => void): void {
  const few = work(FEW)
  const many = work(MANY)
  const most = Math.max(costOf(few) * GROWTH_MAX, NOISE_MS * slowness)
  let cost = costOf(many)
  for (let round = 1; round < ROUNDS && cost >= most; round++) cost = Math.min(cost, costOf(many))
  expect(cost).toBeLessThan(most)
}

describe.each(Object.keys(BODIES))('many %s', (name) => {
  const [caller, bodyOf] = BODIES[name] as (typeof BODIES)[string]

  test('are read in time that grows with their number only', () => {
    growsWithItsSize((count) => {
      const body = bodyOf(count)
      return () => void readAs(caller, body)
    })
  })

  test.each(WIRE_FORMAT_IDS)('are written for %s in time that grows with their number only', (id) => {
    const provider = { id: 'acme', wire: id, quirks: {} } as Provider
    const route = { ...testRoute({ provider }), format: WIRE_FORMATS[id] }
    growsWithItsSize((count) => {
      const request = readAs(caller, bodyOf(count))
      return () => {
        try {
          encodeFor(request, route)
        } catch (error) {
          // Refusing takes no longer.
          expect(error).toBeInstanceOf(UnsupportedField)
        }
      }
    })
  })
})
