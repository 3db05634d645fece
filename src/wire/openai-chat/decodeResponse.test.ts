import { describe, expect, test } from 'bun:test'
import { UpstreamError } from '../../core/failure.ts'
import type { FailureKind } from '../../core/failure.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { collected, eventsOf } from '../../../test/support/wireFixtures.ts'
import { decodeResponse } from './decodeResponse.ts'
import { openAiChat } from './openAiChat.ts'

async function fixture(name: string): Promise<Json> {
  return (await Bun.file(new URL(`__fixtures__/${name}.json`, import.meta.url)).json()) as Json
}

function kindOf(body: Json, choices?: number): FailureKind | undefined {
  try {
    decodeResponse(body, choices)
    return undefined
  } catch (error) {
    if (error instanceof UpstreamError) return error.failure.kind
    throw error
  }
}

function choice(fields: object): JsonObject {
  return { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, ...fields }] }
}

describe('decodeResponse', () => {
  test('OpenAI: text, usage and what nobody models', async () => {
    expect(decodeResponse(await fixture('openai-text'))).toEqual({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello! How can I help?', annotations: [] },
          finishReason: 'stop',
        },
      ],
      usage: {
        promptTokens: 19,
        cachedTokens: 4,
        cacheWriteTokens: 0,
        completionTokens: 10,
        reasoningTokens: 2,
      },
      extra: { service_tier: 'default', system_fingerprint: 'fp_560af6e559' },
    })
  })

  test('OpenAI: tool calls come without text', async () => {
    const { choices } = decodeResponse(await fixture('openai-tools'))
    expect(choices[0]).toMatchObject({
      message: { content: null, tool_calls: [{ id: 'call_Paris', function: { name: 'get_weather' } }] },
      finishReason: 'tool_calls',
    })
    expect(choices[0]?.message.tool_calls?.[0]).not.toHaveProperty('index')
  })

  test('vLLM: nulls mean absent, and reasoning goes by one name', async () => {
    const { choices } = decodeResponse(await fixture('vllm-nulls'))
    expect(choices[0]?.message).toEqual({
      role: 'assistant',
      content: '4',
      reasoning_content: 'Two and two.',
    })
  })

  test('Azure: a choice of which a filter left nothing has no message, and is filtered', () => {
    const [filtered] = decodeResponse({
      choices: [
        {
          index: 0,
          finish_reason: 'content_filter',
          content_filter_results: { violence: { filtered: true, severity: 'medium' } },
        },
      ],
    }).choices
    expect(filtered).toEqual({
      index: 0,
      message: { role: 'assistant', content: '' },
      finishReason: 'content_filter',
      extra: { content_filter_results: { violence: { filtered: true, severity: 'medium' } } },
    })
    expect(kindOf({ choices: [{ index: 0, finish_reason: 'stop' }] })).toBe('invalid_answer')
    const reason = 'function_call_filter: MALFORMED_FUNCTION_CALL'
    expect(kindOf(choice({ message: { content: null }, finish_reason: reason }))).toBe('malformed_output')
  })

  test.each([{}, { name: '', arguments: '' }, { name: null, arguments: '' }, null])(
    'a function_call that calls nothing, %j, is none, nor is an empty refusal a refusal',
    (call) => {
      const message = {
        role: 'assistant',
        content: 'Hi',
        function_call: call,
        refusal: '',
        extra_fields: null,
      }
      const [read] = decodeResponse(choice({ message, finish_reason: 'stop' })).choices
      expect(read?.message).toEqual({ role: 'assistant', content: 'Hi' })
    },
  )

  test.each(['0', 1, -1, 0.5, true])('an answer with the choice index %j alone is none', (index) => {
    const only = { index, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }
    expect(kindOf({ choices: [only] }, 1)).toBe('invalid_answer')
  })

  test('Together: finish function_call with tool calls, without id and arguments', async () => {
    const { choices } = decodeResponse(await fixture('together-function-call'))
    expect(choices[0]).toMatchObject({
      message: {
        content: null,
        tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'now', arguments: '{}' } }],
      },
      finishReason: 'tool_calls',
    })
  })

  test('a call without arguments that the limit can have cut is not completed', () => {
    const calls = [{ id: 'a', type: 'function', function: { name: 'now', arguments: '' } }]
    const message = { role: 'assistant', content: null, tool_calls: calls }
    const { choices } = decodeResponse({ choices: [{ index: 0, message, finish_reason: 'length' }] })
    expect(choices[0]?.message.tool_calls?.[0]?.function.arguments).toBe('')
  })

  test('an error in a 200 fails with the kind it tells', async () => {
    expect(kindOf(await fixture('openrouter-error-in-200'))).toBe('server')
    expect(kindOf({ error: { code: 429, message: 'slow' } })).toBe('rate_limited')
    expect(kindOf({ error: 'out of memory' })).toBe('invalid_answer')
    expect(kindOf({ object: 'error', message: 'bad', type: 'BadRequestError', code: 400 })).toBe(
      'bad_request',
    )
  })

  test('what is no answer is an invalid one', () => {
    for (const body of [null, 5, 'x', [], {}, { choices: [] }, { choices: [5] }, { choices: [{}] }]) {
      expect(kindOf(body)).toBe('invalid_answer')
    }
    expect(kindOf(choice({ message: { content: 5 }, finish_reason: 'stop' }))).toBe('invalid_answer')
  })

  test('fewer choices than were asked for, or gaps in their numbers, are an invalid answer', () => {
    expect(kindOf(choice({ finish_reason: 'stop' }), 2)).toBe('invalid_answer')
    expect(kindOf(choice({ finish_reason: 'stop', index: 3 }))).toBe('invalid_answer')
  })

  test('choices that nobody asked for are dropped unread', () => {
    const {
      choices: [one],
    } = choice({ finish_reason: 'stop' }) as { choices: JsonObject[] }
    const surplus = [{ index: -1 }, { ...one, index: 1, finish_reason: 'error' }, { ...one, index: 0 }, 5]
    const whole = decodeResponse({ choices: [{ ...one, index: 0 }, ...surplus] as Json }, 1)
    expect(whole.choices).toHaveLength(1)
    expect(kindOf({ choices: [{ ...one, index: 1 }] }, 1)).toBe('invalid_answer')
  })

  test("what a provider says of its own business is not the caller's", () => {
    const own = { internal: {}, cost: 0.1, provider: 'x' }
    const {
      choices: [one],
    } = choice({ finish_reason: 'stop', ...own, mood: 1 }) as { choices: JsonObject[] }
    const message = { role: 'assistant', content: 'Hi', mood: 1, ...own }
    const whole = decodeResponse({
      ...own,
      organization: 'org-1',
      system_fingerprint: 'fp',
      service_tier: null,
      choices: [{ ...one, message }] as Json,
    })
    expect(whole.extra).toEqual({ system_fingerprint: 'fp' })
    expect(whole.choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: 'Hi', mood: 1 },
        finishReason: 'stop',
        extra: { mood: 1 },
      },
    ])
  })

  test('log probabilities have both lists of the interface, or are not told', () => {
    const entry = { token: 'Hi', logprob: -0.1, bytes: null, top_logprobs: [] }
    const toldOf = (logprobs: Json) =>
      decodeResponse(choice({ finish_reason: 'stop', logprobs })).choices[0]?.logprobs
    const whole = { content: [entry], refusal: null }
    expect(toldOf(whole)).toEqual(whole)
    expect(toldOf({ content: [entry] })).toEqual(whole)
    expect(toldOf({ refusal: [entry] })).toEqual({ content: null, refusal: [entry] })
    for (const other of [
      {},
      { content: null, refusal: null },
      { content: null },
      { tokens: ['Hi'], token_logprobs: [-0.1] },
      [],
      'x',
    ])
      expect([other, toldOf(other)]).toEqual([other, undefined])
  })

  test('content that is an object is its JSON: a schema was asked for', () => {
    const message = { role: 'assistant', content: { city: 'Rome', deep: [1, { price: 2 }] } }
    const whole = decodeResponse({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
    expect(whole.choices[0]?.message.content).toBe('{"city":"Rome","deep":[1,{"price":2}]}')
  })

  test('a service tier is one of the interface, or is not told', () => {
    const tierOf = (tier: Json) =>
      decodeResponse({ ...choice({ finish_reason: 'stop' }), service_tier: tier }).extra
    expect(tierOf('flex')).toEqual({ service_tier: 'flex' })
    for (const other of ['on_demand', 'standard', '', 1, {}]) expect(tierOf(other)).toEqual({})
  })

  test.each<[string, JsonObject, string[]]>([
    [
      'search results',
      { search_results: [{ title: 'Rome', url: 'https://a.example' }, { url: 'https://b.example' }, {}] },
      ['Rome', ''],
    ],
    ['citations', { citations: ['https://a.example', 'https://b.example', 7] }, ['', '']],
  ])('%s of a search become annotations, whole and streamed', (_, beside, titles) => {
    const annotations = ['https://a.example', 'https://b.example'].map((url, i) => ({
      type: 'url_citation',
      url_citation: { url, title: titles[i], start_index: 0, end_index: 0 },
    }))
    const message = { role: 'assistant', content: 'Hi' }
    const whole = decodeResponse({ ...beside, choices: [{ index: 0, message, finish_reason: 'stop' }] })
    expect(whole.choices[0]?.message.annotations).toEqual(annotations)
    const own = {
      ...message,
      annotations: [{ type: 'url_citation', url_citation: { url: 'https://own.example' } }],
    }
    const cited = decodeResponse({ ...beside, choices: [{ index: 0, message: own, finish_reason: 'stop' }] })
    expect(cited.choices[0]?.message.annotations).toEqual(own.annotations)
    for (const delta of [message, own]) {
      const frames = [
        { choices: [{ index: 0, delta }] },
        { ...beside, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      ]
      const events = eventsOf(
        openAiChat.client,
        frames.map((frame) => ({ event: undefined, data: JSON.stringify(frame) })),
      )
      expect(collected(events).choices[0]?.message.annotations).toEqual(
        delta === own ? own.annotations : annotations,
      )
    }
  })

  test('a finish reason that says failure is one', () => {
    expect(kindOf(choice({ finish_reason: 'error' }))).toBe('server')
    expect(kindOf(choice({ finish_reason: 'abort' }))).toBe('server')
    expect(kindOf(choice({ finish_reason: 'insufficient_system_resource' }))).toBe('overloaded')
  })

  test('an error field that says nothing beside an answer is none', () => {
    for (const error of [null, '', false, {}]) {
      expect(kindOf({ ...choice({ finish_reason: 'stop' }), error })).toBeUndefined()
    }
  })

  test('content in parts becomes text', () => {
    const parts = ['Grüß', { type: 'text', text: ' dich' }, { type: 'thinking', thinking: [] }]
    const { choices } = decodeResponse(choice({ message: { content: parts }, finish_reason: 'eos' }))
    expect(choices[0]).toMatchObject({ message: { content: 'Grüß dich' }, finishReason: 'stop' })
  })
})
