import { expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_LIMIT_MS } from '../../test/support/scale.ts'
import { answerDifferences } from './differences.ts'
import { parseRecord, readRecorded, type RecordedCall } from './recordedCall.ts'
import { replay } from './replay.ts'
import { reportOf } from './report.ts'

const USAGE = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
const CALL = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"n":9223372036854775807}' } }

function chunk(delta: object, finish: string | null = null, index = 0) {
  return {
    data: { id: 'c', object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason: finish }] },
  }
}

const CHAT = { provider: 'openai', method: 'POST', path: '/v1/chat/completions', status: 200 }
const MESSAGES = { provider: 'anthropic', method: 'POST', path: '/v1/messages', status: 200 }
const HI = [{ role: 'user', content: 'Hi' }]

const RECORDS: Readonly<Record<string, object>> = {
  'chat/whole.json': {
    ...CHAT,
    request: { model: 'gpt-4o', messages: HI, seed: 7, unknown_field: 1 },
    response: {
      id: 'c',
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: [CALL] },
          finish_reason: 'tool_calls',
        },
      ],
      usage: USAGE,
    },
  },
  'chat/streamed.json': {
    ...CHAT,
    request: null,
    events: [
      { comment: 'waiting' },
      chunk({ role: 'assistant', content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, 'stop'),
      { data: { id: 'c', choices: [], usage: USAGE } },
      { data: '[DONE]' },
    ],
  },
  'chat/failed.json': {
    ...CHAT,
    status: 401,
    request: { model: 'm', messages: HI },
    response: { error: { code: 'invalid_api_key' } },
  },
  'messages/whole.json': {
    ...MESSAGES,
    request: { model: 'claude-sonnet-4-5', max_tokens: 9, messages: HI, system: 'Be kind.', top_k: 3 },
    response: {
      type: 'message',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'signed' },
        { type: 'text', text: 'Hello' },
      ],
      stop_reason: 'max_tokens',
      usage: { input_tokens: 4, cache_read_input_tokens: 5, output_tokens: 4 },
    },
  },
  'messages/tools.json': {
    ...MESSAGES,
    request: {
      model: 'm',
      max_tokens: 9,
      messages: HI,
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    },
    events: [
      {
        event: 'message_start',
        data: { type: 'message_start', message: { content: [], usage: { input_tokens: 9 } } },
      },
      {
        event: 'content_block_start',
        data: {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} },
        },
      },
      {
        event: 'content_block_delta',
        data: {
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
        },
      },
      {
        event: 'message_delta',
        data: { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } },
      },
      { event: 'message_stop', data: { type: 'message_stop' } },
    ],
  },
  'embeddings/whole.json': { ...CHAT, path: '/v1/embeddings', request: null, response: {} },
}

test(
  'recorded calls go through a gateway whole and streamed, and what differs is counted by kind',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-replay-'))
    try {
      for (const [file, record] of Object.entries(RECORDS)) {
        await mkdir(join(folder, file, '..'), { recursive: true })
        await Bun.write(join(folder, file), JSON.stringify(record))
      }
      await Bun.write(join(folder, 'chat/malformed.json'), '{"path":"/v1/messages"}')
      const recorded = await readRecorded(folder)
      const findings = await replay(recorded.calls, () => undefined)
      expect(reportOf(recorded, findings, true)).toBe(
        `
5 calls: 3 openai-chat, 2 anthropic-messages
1 not spoken: POST /v1/embeddings
malformed: chat/malformed.json: "status" is not an integer

10 answers; 8 say what was recorded
    2  recorded failure 401 → 502 upstream_error
         chat/failed.json (streamed)
         chat/failed.json (whole)

Requests, as the provider got them:
    1  tools is left out
         messages/tools.json
    1  top_k is left out
         messages/whole.json
    1  unknown_field is left out
         chat/whole.json`.trim(),
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  },
  TEST_LIMIT_MS,
)

test('an answer that says something else differs by kind', () => {
  const call = parseRecord('a', JSON.stringify(RECORDS['chat/whole.json'])) as RecordedCall
  const message = { role: 'assistant', content: null, tool_calls: [CALL] }
  const got = (changed: object, finish = 'tool_calls', usage: object = USAGE) => ({
    status: 200,
    isValid: true,
    dropped: [],
    text: JSON.stringify({
      choices: [{ index: 0, message: { ...message, ...changed }, finish_reason: finish }],
      usage,
    }),
  })
  const kinds = (...change: Parameters<typeof got>) => answerDifferences(call, got(...change))
  expect(kinds({})).toEqual([])
  expect(answerDifferences(call, { ...got({}), isValid: false })).toEqual([
    'not as /openapi.json describes it',
  ])
  expect(kinds({ content: 'Hi' })).toEqual(['text'])
  expect(kinds({ reasoning_content: 'Hm.' })).toEqual(['reasoning'])
  expect(kinds({ refusal: 'No.' })).toEqual(['refusal'])
  expect(kinds({}, 'stop')).toEqual(['finish reason: tool_calls → stop'])
  expect(kinds({}, 'tool_calls', { ...USAGE, prompt_tokens: 8 })).toEqual(['usage'])
  const rounded = { ...CALL.function, arguments: '{"n":9223372036854776000}' }
  expect(kinds({ tool_calls: [{ ...CALL, function: rounded }] })).toEqual(['tool calls'])
  expect(kinds({ tool_calls: [] })).toEqual(['tool calls'])
  expect(
    answerDifferences(call, { status: 200, isValid: true, dropped: [], text: '{"choices":[]}' }),
  ).toEqual(['an answer → 200 no choice'])
  const cut = `data: ${JSON.stringify(chunk({ content: 'Hel' }).data)}\n\n`
  expect(answerDifferences(call, { status: 200, isValid: true, dropped: [], text: cut })).toEqual([
    'an answer → 200 a cut stream',
  ])
})

test.each([
  ['{', 'is not JSON'],
  ['[]', 'is not a JSON object'],
  ['{"status":200}', '"path" is not a string'],
  [JSON.stringify({ ...CHAT, status: '200' }), '"status" is not an integer'],
  [JSON.stringify({ ...CHAT, request: 'Hi' }), '"request" is not an object'],
  [JSON.stringify(CHAT), 'has neither "response" nor a list of "events"'],
  [JSON.stringify({ ...CHAT, events: [{ data: 1 }, {}] }), '"events[1]" has neither "data" nor "comment"'],
])('a file that holds no call is refused by its name: %s', (text, what) => {
  expect(() => parseRecord('calls/a.json', text)).toThrow(`calls/a.json: ${what}`)
})

test(
  'in its own format a call is asked as it was recorded, and every value is compared',
  async () => {
    const usage = { input_tokens: 9, output_tokens: 4, cost: 1 }
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-haiku-4-5',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      vendor: { n: [1, 2] },
      usage,
    }
    const request = { model: 'claude-haiku-4-5', max_tokens: 64, messages: HI, top_k: 5, speed: 'fast' }
    const call = parseRecord('a.json', JSON.stringify({ ...MESSAGES, request, response: message }))
    if (typeof call === 'string') throw new Error('it is a call of Messages')
    const { answerKinds, requestKinds } = await replay([call], () => undefined, 'own')
    expect([...answerKinds.keys()]).toEqual(['usage.cost is left out'])
    expect([...requestKinds.keys()]).toEqual(['speed is left out'])
  },
  TEST_LIMIT_MS,
)

test(
  'a call of Responses is asked so, too',
  async () => {
    const output = [
      {
        id: 'fc_1',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_1',
        name: 'f',
        arguments: '{"price":1}',
      },
    ]
    const usage = { input_tokens: 9, output_tokens: 4, total_tokens: 13, cost_in_usd_ticks: 1 }
    const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output, usage }
    const begun = { ...response, status: 'in_progress', output: [], usage: null }
    const request = {
      model: 'm',
      input: 'Hi',
      truncation: 'auto',
      context_management: [{ type: 'compaction' }],
    }
    const events = [
      { event: 'response.created', data: { type: 'response.created', response: begun } },
      {
        event: 'response.output_item.done',
        data: { type: 'response.output_item.done', output_index: 0, item: output[0] },
      },
      { event: 'response.completed', data: { type: 'response.completed', response } },
    ]
    const record = { ...CHAT, path: '/v1/responses', request, events }
    const call = parseRecord('a.json', JSON.stringify(record))
    if (typeof call === 'string') throw new Error('it is a call of Responses')
    const own = await replay([call], () => undefined, 'own')
    expect([...own.answerKinds.keys()]).toEqual(['response.usage.cost_in_usd_ticks is left out'])
    expect([...own.requestKinds.keys()]).toEqual(['context_management is left out', 'store is added'])
    const { answerKinds } = await replay([call], () => undefined)
    expect([...answerKinds.keys()]).toEqual([])
  },
  TEST_LIMIT_MS,
)

test(
  'of a provider of another format, what its caller gets otherwise and what is left out is counted',
  async () => {
    const record = RECORDS['messages/whole.json'] as { readonly request: object }
    const request = { ...record.request, thinking: { type: 'adaptive', display: 'omitted' } }
    const call = parseRecord('a.json', JSON.stringify({ ...record, request }))
    if (typeof call === 'string') throw new Error('it is a call of Messages')
    const { answerKinds, requestKinds } = await replay([call], () => undefined, { to: 'google-generate' })
    expect([...answerKinds.keys()]).toEqual([])
    expect([...requestKinds.keys()]).toEqual(['top_k is left out', 'thinking.display is left out'])
  },
  TEST_LIMIT_MS,
)
