import { describe, expect, test } from 'bun:test'
import { framesOfBytes } from '../../../test/support/streamBytes.ts'
import type { AnswerEvent } from '../../core/answer/event.ts'
import { collectEvents } from '../collect.ts'
import { decodeStream } from './decodeStream.ts'

async function eventsOf(fixture: string, choices?: number): Promise<AnswerEvent[]> {
  const file = Bun.file(new URL(`__fixtures__/${fixture}.sse`, import.meta.url))
  const decode = decodeStream(choices)
  return [...framesOfBytes([await file.bytes()]).flatMap((frame) => decode.push(frame)), ...decode.end()]
}

/** The stream's message of choice 0, without its role, and how it ended. */
async function told(fixture: string): Promise<Record<string, unknown>> {
  const collector = collectEvents()
  for (const event of await eventsOf(fixture)) collector.push(event)
  const response = collector.response()
  const [choice] = response.choices
  const { role: _role, ...message } = choice?.message ?? { role: 'assistant' }
  return { ...message, finish: choice?.finishReason }
}

async function failureOf(fixture: string): Promise<string | undefined> {
  const last = (await eventsOf(fixture)).at(-1)
  return last?.type === 'error' ? last.failure.kind : undefined
}

const paris = { name: 'get_weather', arguments: '{"city":"Paris"}' }
const rome = { name: 'get_weather', arguments: '{"city":"Rome"}' }

describe('usage inside a choice', () => {
  const counts = { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32 }
  const usageOf = (events: readonly AnswerEvent[]): unknown[] =>
    events.flatMap((event) => (event.type === 'usage' ? [event.usage.completionTokens] : []))

  test('is the usage of the answer, and no field of the choice', () => {
    const events = eventsOfChunks([
      { choices: [{ index: 0, delta: { content: 'Hi' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: counts }] },
    ])
    expect(usageOf(events)).toEqual([13])
    expect(events).toContainEqual({ type: 'finish', index: 0, reason: 'stop' })
  })

  test('gives way to that of the chunk, and is not read from a choice that nobody asked for', () => {
    const last = { index: 0, delta: {}, finish_reason: 'stop', usage: counts }
    const both = eventsOfChunks([{ choices: [last], usage: { ...counts, completion_tokens: 14 } }])
    expect(usageOf(both)).toEqual([14])
    expect(usageOf(eventsOfChunks([{ choices: [{ ...last, index: 1 }] }]))).toEqual([])
  })
})

describe('a call that came without arguments', () => {
  const open = {
    choices: [
      { index: 0, delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'now', arguments: '' } }] } },
    ],
  }
  const complete = { tool_calls: [{ index: 0, function: { arguments: '{}' } }] }

  test.each(['tool_calls', 'stop'])('gets an empty object before it ends with %s', (reason) => {
    const events = eventsOfChunks([open, { choices: [{ index: 0, delta: {}, finish_reason: reason }] }])
    expect(events.slice(-2)).toMatchObject([{ type: 'delta', delta: complete }, { type: 'finish' }])
  })

  test.each(['length', 'content_filter'])('stays as it is where %s can have cut it', (reason) => {
    const events = eventsOfChunks([open, { choices: [{ index: 0, delta: {}, finish_reason: reason }] }])
    expect(events.filter(({ type }) => type === 'delta')).toHaveLength(1)
  })
})

describe('what providers stream is understood', () => {
  test('OpenAI: events come in order, with usage and with what nobody models', async () => {
    const extra = { service_tier: 'default', system_fingerprint: 'fp_560af6e559' }
    expect(await eventsOf('openai-text')).toEqual([
      { type: 'start', extra: { ...extra, obfuscation: 'a1' } },
      { type: 'delta', index: 0, delta: { content: 'Grüß' }, extra: { ...extra, obfuscation: 'b22' } },
      { type: 'delta', index: 0, delta: { content: ' dich 👋' }, extra: { ...extra, obfuscation: 'c' } },
      {
        type: 'usage',
        usage: {
          promptTokens: 19,
          cachedTokens: 4,
          cacheWriteTokens: 0,
          completionTokens: 10,
          reasoningTokens: 2,
        },
      },
      { type: 'finish', index: 0, reason: 'stop', extra: { ...extra, obfuscation: 'dddd' } },
    ])
  })

  const texts: [fixture: string, message: Record<string, unknown>][] = [
    ['openai-length', { content: 'One', finish: 'length' }],
    ['openai-content-filter', { content: '', finish: 'content_filter' }],
    ['openai-refusal', { content: null, refusal: "I can't help.", finish: 'stop' }],
    ['deepseek-reasoning', { content: '4', reasoning_content: 'Two and two.', finish: 'stop' }],
    ['groq-text', { content: 'Hello!', finish: 'stop' }],
    ['groq-reasoning', { content: 'Done', reasoning_content: 'Thinking.', finish: 'stop' }],
    ['azure-text', { content: 'Color', finish: 'stop' }],
    ['together-eos', { content: 'Hi', finish: 'stop' }],
    ['openrouter-text', { content: 'Hi', finish: 'stop' }],
    ['finish-without-done', { content: 'Whole', finish: 'stop' }],
    ['crlf-without-last-blank-line', { content: 'Ünïcödé', finish: 'stop' }],
    [
      'openai-function-call',
      {
        content: null,
        function_call: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
        finish: 'function_call',
      },
    ],
  ]
  for (const [fixture, message] of texts) {
    test(`${fixture} tells its message and its end`, async () => {
      expect(await told(fixture)).toMatchObject(message)
    })
  }

  const calls: [fixture: string, ids: string[], functions: unknown[]][] = [
    ['openai-tools', ['call_Paris', 'call_Rome'], [paris, rome]],
    ['ollama-tools', ['call_p1'], [paris]],
    ['gemini-tools-without-index', ['function-call-1', 'call_1'], [paris, rome]],
    ['gemini-tools-one-index', ['a', 'b'], [paris, rome]],
  ]
  for (const [fixture, ids, functions] of calls) {
    test(`${fixture} tells each call once, with an id of its own`, async () => {
      const message = await told(fixture)
      expect(message).toMatchObject({
        content: null,
        tool_calls: functions.map((inner, i) => ({ id: ids[i], type: 'function', function: inner })),
        finish: 'tool_calls',
      })
    })
  }

  test('a chunk may have a message in the place of its delta', () => {
    const events = eventsOfChunks([
      { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ])
    expect(events).toMatchObject([
      { type: 'start' },
      { type: 'delta', index: 0, delta: { content: 'Hi' } },
      { type: 'finish', reason: 'stop' },
    ])
    expect(JSON.stringify(events)).not.toContain('message')
  })

  test('choices that interleave are told apart', async () => {
    const collector = collectEvents()
    for (const event of await eventsOf('openai-n2', 2)) collector.push(event)
    expect(
      collector.response().choices.map(({ message, finishReason }) => [message.content, finishReason]),
    ).toEqual([
      ['Heads', 'stop'],
      ['Tails', 'length'],
    ])
  })

  test('log probabilities of all chunks are gathered', async () => {
    const collector = collectEvents()
    for (const event of await eventsOf('openai-logprobs')) collector.push(event)
    const { content } = collector.response().choices[0]?.logprobs ?? {}
    expect(content).toMatchObject([{ token: 'Yes' }, { token: '!' }])
  })

  const usages: [fixture: string, usage: Record<string, number>][] = [
    ['deepseek-reasoning', { promptTokens: 18, cachedTokens: 16, completionTokens: 30, reasoningTokens: 20 }],
    ['groq-text', { promptTokens: 36, cachedTokens: 0, completionTokens: 3, reasoningTokens: 0 }],
    ['together-eos', { promptTokens: 5, completionTokens: 2 }],
    ['openrouter-text', { promptTokens: 8, completionTokens: 1 }],
  ]
  for (const [fixture, usage] of usages) {
    test(`${fixture} reports its usage, wherever it stands`, async () => {
      const found = (await eventsOf(fixture)).find((event) => event.type === 'usage')
      expect(found).toMatchObject({ usage })
    })
  }

  test('usage that is absent or all zero is not reported', async () => {
    expect((await eventsOf('openai-length')).some((event) => event.type === 'usage')).toBe(false)
    const zero = '{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}'
    expect(decodeStream().push({ event: undefined, data: zero })).toEqual([{ type: 'start' }])
  })

  test('annotations of a choice ride on its next event', async () => {
    const events = await eventsOf('azure-text')
    const delta = events.find((event) => event.type === 'delta')
    expect(delta?.choiceExtra).toHaveProperty('content_filter_results.hate.severity', 'safe')
    expect(events[0]).not.toHaveProperty('extra')
  })
})

describe('a stream that is not whole ends in an error', () => {
  const failures: [fixture: string, kind: string][] = [
    ['cut', 'invalid_answer'],
    ['done-without-finish', 'invalid_answer'],
    ['html', 'invalid_answer'],
    ['openrouter-error', 'rate_limited'],
    ['vllm-error-then-done', 'server'],
    ['error-as-string', 'invalid_answer'],
    ['error-event', 'overloaded'],
    ['deepseek-out-of-resources', 'overloaded'],
  ]
  for (const [fixture, kind] of failures) {
    test(`${fixture} is ${kind}`, async () => {
      expect(await failureOf(fixture)).toBe(kind)
    })
  }

  test('fewer choices than were asked for are a cut, even with [DONE]', async () => {
    expect((await eventsOf('openai-text', 2)).at(-1)).toMatchObject({ failure: { kind: 'invalid_answer' } })
  })

  test('nothing is told after an error', async () => {
    const decode = decodeStream()
    decode.push({ event: undefined, data: '{"error":{"message":"no"}}' })
    expect(decode.push({ event: undefined, data: '{"choices":[{"delta":{"content":"x"}}]}' })).toEqual([])
    expect(decode.end()).toEqual([])
  })

  test('an unknown finish reason cuts text, and ends no silence', () => {
    const chunk = (delta: object, reason: string): AnswerEvent[] =>
      eventsOfChunks([{ choices: [{ index: 0, delta, finish_reason: reason }] }])
    expect(chunk({ content: 'x' }, 'novel').at(-1)).toMatchObject({ type: 'finish', reason: 'length' })
    expect(chunk({}, 'novel').at(-1)).toMatchObject({ type: 'error', failure: { kind: 'invalid_answer' } })
  })
})

/** The events of chunks with these choices, and of what is sent as it is. */
function eventsOfChunks(chunks: readonly (object | '[DONE]')[], choices = 1): AnswerEvent[] {
  const decode = decodeStream(choices)
  const frames = chunks.map((chunk) => (chunk === '[DONE]' ? chunk : JSON.stringify(chunk)))
  return [...frames.flatMap((data) => decode.push({ event: undefined, data })), ...decode.end()]
}

function said(content: string, index = 0, reason: string | null = null): object {
  return { choices: [{ index, delta: { content }, finish_reason: reason }] }
}

const REPORT = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }

describe('a stream without a finish reason', () => {
  test('ends with stop where it reports its usage and then says [DONE]', () => {
    const events = eventsOfChunks([said('Hi'), said('Ho', 1), REPORT, '[DONE]'], 2)
    expect(events.filter(({ type }) => type === 'finish' || type === 'error')).toEqual([
      { type: 'finish', index: 0, reason: 'stop' },
      { type: 'finish', index: 1, reason: 'stop' },
    ])
  })

  test('ends only what is still open', () => {
    const events = eventsOfChunks([said('Hi', 0, 'length'), said('Ho', 1), REPORT, '[DONE]'], 2)
    expect(events.flatMap((event) => (event.type === 'finish' ? [event.reason] : []))).toEqual([
      'length',
      'stop',
    ])
  })

  test.each<[string, readonly (object | '[DONE]')[], number]>([
    ['without [DONE]', [said('Hi'), REPORT], 1],
    ['without a report', [said('Hi'), '[DONE]'], 1],
    ['with words behind its report', [said('Hi'), REPORT, said(' there'), '[DONE]'], 1],
  ])('is cut %s', (_, chunks, choices) => {
    const events = eventsOfChunks(chunks, choices)
    expect(events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'invalid_answer' } })
    expect(events.some(({ type }) => type === 'finish')).toBe(false)
  })
})

test('a stream in which a choice never began ends those that did, and says that there are fewer', () => {
  const events = eventsOfChunks([said('Hi'), REPORT, '[DONE]'], 2)
  expect(events.slice(-2)).toMatchObject([
    { type: 'finish', index: 0, reason: 'stop' },
    { type: 'error', failure: { kind: 'invalid_answer', code: 'fewer_choices' } },
  ])
})

describe('choices that nobody asked for', () => {
  test('are not told, not waited for, and may fail', () => {
    const events = eventsOfChunks([
      said('Hi'),
      said('never finished', 1),
      said('', 2, 'error'),
      said('x', -1),
      said('x', 0.5),
      {
        choices: [
          { index: 0, delta: {}, finish_reason: 'stop' },
          ...Array.from({ length: 1_000 }, () => ({ delta: { content: 'x' } })),
        ],
      },
    ])
    expect(events).toEqual([
      { type: 'start' },
      { type: 'delta', index: 0, delta: { content: 'Hi' } },
      { type: 'finish', index: 0, reason: 'stop' },
    ])
  })

  test('begin nothing: where there are no others, the answer has no first event', () => {
    const events = eventsOfChunks([said('Hi', 1), said('', 1, 'stop'), REPORT, '[DONE]'])
    expect(events.map(({ type }) => type)).toEqual(['usage', 'error'])
  })
})

describe('what hosts put beside an answer without saying anything', () => {
  const frame = (choice: object) => ({
    event: undefined,
    data: JSON.stringify({ id: 'c1', choices: [choice] }),
  })
  const empty = {
    function_call: { name: '', arguments: '' },
    refusal: '',
    tool_calls: [],
    extra_fields: null,
    reasoning_content: '',
  }

  test('is not told: empty calls, empty refusals, nulls', () => {
    const decode = decodeStream(1)
    const events = [
      ...decode.push(
        frame({ index: 0, delta: { role: 'assistant', content: 'Hi', ...empty }, finish_reason: '' }),
      ),
      ...decode.push(frame({ index: 0, delta: { content: null, refusal: null }, finish_reason: null })),
      ...decode.push(
        frame({ index: 0, delta: { role: 'assistant', content: '', ...empty }, finish_reason: 'stop' }),
      ),
      ...decode.end(),
    ]
    expect(events).toEqual([
      { type: 'start' },
      { type: 'delta', index: 0, delta: { content: 'Hi', reasoning_content: '' } },
      { type: 'finish', index: 0, reason: 'stop' },
    ])
  })

  test('takes back nothing of a legacy call', () => {
    const decode = decodeStream(1)
    const collector = collectEvents()
    for (const call of [
      { name: 'look', arguments: '' },
      { name: '', arguments: '{"q":' },
      { name: null, arguments: '1}' },
    ]) {
      for (const event of decode.push(frame({ index: 0, delta: { function_call: call } })))
        collector.push(event)
    }
    const last = frame({ index: 0, delta: empty, finish_reason: 'function_call' })
    for (const event of [...decode.push(last), ...decode.end()]) collector.push(event)
    expect(collector.response().choices[0]?.message).toMatchObject({
      content: null,
      function_call: { name: 'look', arguments: '{"q":1}' },
    })
  })

  test('a choice with an odd index alone is no answer', () => {
    const decode = decodeStream(1)
    const sent = [{ index: '0', delta: { content: 'Hi' }, finish_reason: 'stop' }].flatMap((choice) =>
      decode.push(frame(choice)),
    )
    expect([...sent, ...decode.end()]).toMatchObject([{ type: 'error', failure: { kind: 'invalid_answer' } }])
  })
})

describe('what a provider says beside its answer', () => {
  test('is told at the top level only where the interface knows it', () => {
    const known = { system_fingerprint: 'fp', service_tier: 'default' }
    const chunk = {
      ...said('Hi'),
      ...known,
      organization: 'org-1',
      cost: 0.1,
      provider: 'x',
      internal: {},
      novel: 1,
    }
    expect(eventsOfChunks([chunk]).slice(0, 2)).toEqual([
      { type: 'start', extra: known },
      { type: 'delta', index: 0, delta: { content: 'Hi' }, extra: known },
    ])
    const wrong = { ...said('Hi'), system_fingerprint: { cost: 1 }, service_tier: null }
    expect(eventsOfChunks([wrong])[0]).toEqual({ type: 'start' })
  })

  test('is never told in a choice, a delta or a call when it is of its own business', () => {
    const own = { internal: { route: 'eu-3' }, cost: 0.1, provider: 'x' }
    const call = {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'now', arguments: '{}' },
      mood: 1,
      ...own,
    }
    const delta = { content: 'Hi', tool_calls: [call], mood: 1, ...own }
    const events = eventsOfChunks([{ choices: [{ index: 0, delta, finish_reason: null, mood: 1, ...own }] }])
    expect(events[1]).toEqual({
      type: 'delta',
      index: 0,
      delta: {
        content: 'Hi',
        tool_calls: [{ ...call, internal: undefined, cost: undefined, provider: undefined }],
        mood: 1,
      },
      choiceExtra: { mood: 1 },
    } as unknown as AnswerEvent)
    expect(JSON.stringify(events)).not.toMatch(/internal|cost|provider/)
  })
})

test.each([
  ['SAFETY', { type: 'finish', reason: 'content_filter' }],
  ['MALFORMED_FUNCTION_CALL', { type: 'error', failure: { kind: 'malformed_output' } }],
  ['error', { type: 'error', failure: { kind: 'server' } }],
  [null, { type: 'error', failure: { kind: 'server' } }],
])("of an end `error` the provider's own word %p decides", (native, last) => {
  const decode = decodeStream()
  const chunks = [
    { choices: [{ index: 0, delta: { content: 'Hello' } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'error', native_finish_reason: native }] },
  ]
  const events = chunks.flatMap((chunk) => decode.push({ event: undefined, data: JSON.stringify(chunk) }))
  expect([...events, ...decode.end()].at(-1)).toMatchObject(last)
})
