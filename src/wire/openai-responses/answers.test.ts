import { describe, expect, test } from 'bun:test'
import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { functionCall, usageOf } from '../../../test/support/chatSamples.ts'
import { RESPONSES_WAYS, responsesFrames } from '../../../test/support/responsesFrames.ts'
import { collected, eventsOf, failureOf, fixturesIn } from '../../../test/support/wireFixtures.ts'
import { UpstreamError } from '../../core/failure.ts'
import type { ProviderCodec } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import errors from './__fixtures__/errors.json'
import outputs from './__fixtures__/outputs.json'

const client = { decodeResponse, decodeStream, decodeError } as ProviderCodec

function message(text: string, more: JsonObject = {}): JsonObject {
  return {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text, ...more }],
  }
}

function response(output: readonly Json[], more: JsonObject = {}): JsonObject {
  return { id: 'resp_1', object: 'response', status: 'completed', error: null, output, ...more }
}

const OPENAI = { format: 'openai-responses-v1' }

const ANSWERS: Readonly<Record<keyof typeof outputs, WholeAnswer>> = {
  'text with citations': {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Let me look. It is sunny. Take a hat.',
          annotations: [
            {
              type: 'url_citation',
              url_citation: {
                url: 'https://example.com/w',
                title: 'Weather',
                start_index: 13,
                end_index: 25,
              },
            },
          ],
        },
        finishReason: 'stop',
      },
    ],
    usage: usageOf(300, 20, { cachedTokens: 256, cacheWriteTokens: 40 }),
    extra: { service_tier: 'default' },
  },
  'reasoning before calls': {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          reasoning_content: '**Plan**\nLook up.\n\n**Check**\nTwice.\n\nThen patch.',
          reasoning_details: [
            {
              type: 'reasoning.summary',
              summary: '**Plan**\nLook up.',
              ...OPENAI,
              index: 0,
            },
            { type: 'reasoning.summary', summary: '**Check**\nTwice.', ...OPENAI, index: 0 },
            { type: 'reasoning.encrypted', data: 'gAAAAAB_a-Zoë==', ...OPENAI, index: 0 },
            { type: 'reasoning.summary', summary: 'Then patch.', ...OPENAI, index: 2 },
            { type: 'reasoning.encrypted', data: 'gAAAAAB_b', ...OPENAI, index: 2 },
          ],
          tool_calls: [
            functionCall('call_A', 'get_weather', '{"city":"Zürich"}'),
            {
              id: 'call_B',
              type: 'custom',
              custom: { name: 'apply_patch', input: '*** Begin Patch\n+ß\n' },
            } as never,
            functionCall('call_C', 'get_time', '{}'),
          ],
        },
        finishReason: 'tool_calls',
      },
    ],
    usage: usageOf(90, 64, { reasoningTokens: 40 }),
    extra: {},
  },
  'open thoughts without an id': {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'It is 21.',
          reasoning_content: '1071 and 462. Euclid.',
          reasoning_details: [{ type: 'reasoning.text', text: '1071 and 462. Euclid.', ...OPENAI, index: 0 }],
        },
        finishReason: 'stop',
      },
    ],
    usage: usageOf(25, 18),
    extra: {},
  },
  refusal: {
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: "I'm sorry, I can't help with that." },
        finishReason: 'stop',
      },
    ],
    usage: usageOf(43, 11),
    extra: {},
  },
  'a call that the limit cut': {
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, tool_calls: [functionCall('call_1', 'add', '{"x":48')] },
        finishReason: 'length',
      },
    ],
    usage: usageOf(60, 16),
    extra: {},
  },
  'text beside a vendor tool': {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Found it.',
          reasoning_details: [
            { type: 'reasoning.encrypted', data: 'gAAA1', ...OPENAI, index: 0 },
            { type: 'reasoning.encrypted', data: 'gAAA2', ...OPENAI, index: 1 },
          ],
        },
        finishReason: 'stop',
      },
    ],
    usage: usageOf(500, 30),
    extra: {},
  },
}

describe('answers, whole and streamed, say the same', () => {
  for (const [name, expected] of Object.entries(ANSWERS)) {
    const body = outputs[name as keyof typeof outputs] as unknown as JsonObject
    test(`${name}, whole`, () => {
      expect(decodeResponse(body)).toEqual(expected)
    })
    test.each(RESPONSES_WAYS)(`${name}, streamed as %s`, (way) => {
      expect(collected(eventsOf(client, responsesFrames(body, way)))).toEqual(expected)
    })
  }
})

test('a stream with padding, keepalives, comments and an end that repeats all is the answer that it ends with', () => {
  const { frames, json } = fixturesIn(import.meta.dir)
  const events = eventsOf(client, frames('stream.sse'))
  expect(collected(events)).toEqual(decodeResponse(json('stream.json')))
  const [choice] = collected(events).choices
  expect(choice?.message.content).toBe('Grüezi 👋!')
  expect(choice?.message.reasoning_content).toBe('Greet.\n\nBe brief.')
})

describe('whole answers', () => {
  test.each([
    ['completed', null, 'stop'],
    ['incomplete', { reason: 'max_output_tokens' }, 'length'],
    ['incomplete', { reason: 'content_filter' }, 'content_filter'],
    [undefined, null, 'stop'],
  ] as const)('%s with %j ends with %s', (status, incomplete_details, finishReason) => {
    const { status: _, ...body } = response([message('Hi')], { incomplete_details })
    const given = status === undefined ? body : { ...body, status }
    expect(decodeResponse(given).choices[0]?.finishReason).toBe(finishReason)
  })

  test('an unknown end behind content is a cut answer that names the word', () => {
    const body = response([message('Hi')], {
      status: 'incomplete',
      incomplete_details: { reason: 'moon_phase' },
    })
    expect(decodeResponse(body).choices[0]).toMatchObject({
      finishReason: 'length',
      unknownWord: 'moon_phase',
    })
    const [last] = eventsOf(client, responsesFrames(body)).slice(-1)
    expect(last).toEqual({ type: 'finish', index: 0, reason: 'length', unknownWord: 'moon_phase' })
  })

  test("a provider's own word for the end comes before the list of all", () => {
    const body = response([message('Hi')], { status: 'incomplete', incomplete_details: { reason: 'moon' } })
    expect(decodeResponse(body, 1, { moon: 'stop' }).choices[0]?.finishReason).toBe('stop')
  })

  test.each(['queued', 'in_progress'])('a response that is %s is no answer', (status) => {
    expect(failureOf(() => decodeResponse(response([], { status })))?.kind).toBe('invalid_answer')
  })

  test.each([
    [null],
    [7],
    ['text'],
    [[]],
    [{}],
    [{ output: 'text' }],
    [{ object: 'response', deleted: true }],
  ])('%j is no answer', (body) => {
    expect(failureOf(() => decodeResponse(body))?.kind).toBe('invalid_answer')
  })

  test('one choice is no answer where several were asked for', () => {
    expect(() => decodeResponse(response([message('Hi')]), 2)).toThrow(UpstreamError)
  })

  test.each([
    [{ code: 'insufficient_quota', message: 'You exceeded your current quota.' }, 'billing'],
    [{ code: 'rate_limit_exceeded', message: 'Slow down.' }, 'rate_limited'],
    [{ code: 'server_error', message: 'The server had an error.' }, 'server'],
    [{ code: 'context_length_exceeded', message: 'Too long.' }, 'too_large'],
    [{ code: 'invalid_prompt', message: 'Invalid prompt.' }, 'content_policy'],
    [{ code: 'bio_policy', message: 'No.' }, 'content_policy'],
    [{ code: 'invalid_base64_image', message: 'No image.' }, 'bad_request'],
    [{ code: 'image_file_too_large', message: 'Large.' }, 'oversized'],
    [{ code: 'vector_store_timeout', message: 'Late.' }, 'server'],
    [{}, 'server'],
    [null, 'server'],
  ] as const)('a response that failed with %j is a failure of its kind, whole or streamed', (error, kind) => {
    const failed = response([], { status: 'failed', error })
    expect(failureOf(() => decodeResponse(failed))?.kind).toBe(kind)
    expect(eventsOf(client, responsesFrames(failed)).at(-1)).toMatchObject({
      type: 'error',
      failure: { kind },
    })
  })

  test('a response that was cancelled is a failure of the server', () => {
    const cancelled = response([message('Hi')], { status: 'cancelled' })
    expect(failureOf(() => decodeResponse(cancelled))?.kind).toBe('server')
  })

  test.each([
    { error: { type: 'invalid_request_error', code: 'rate_limit_exceeded', message: 'Slow down.' } },
    { object: 'error', code: 'rate_limit_exceeded', message: 'Slow down.' },
    response([message('Hi')], { error: { code: 'rate_limit_exceeded', message: 'Slow down.' } }),
  ])('an error in a 200 is a failure of its kind: %j', (body) => {
    expect(failureOf(() => decodeResponse(body))?.kind).toBe('rate_limited')
  })

  test('costs and billing of a provider do not pass', () => {
    const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5, cost: 0.1, cost_in_usd_ticks: 9 }
    const body = response([message('Hi')], {
      usage,
      billing: { payer: 'developer' },
      system_fingerprint: 'f',
    })
    expect(decodeResponse(body)).toMatchObject({ usage: usageOf(3, 2), extra: {} })
    expect(JSON.stringify(decodeResponse(body))).not.toMatch(/cost|billing|payer|fingerprint/)
  })

  test.each([
    ['nothing', undefined, undefined],
    ['null', null, undefined],
    ['zeros', { input_tokens: 0, output_tokens: 0, total_tokens: 0 }, undefined],
    ['text', { input_tokens: '7' }, undefined],
    ['no details', { input_tokens: 7, output_tokens: 2 }, usageOf(7, 2)],
    [
      'another total',
      { input_tokens: 7, output_tokens: 2, total_tokens: 20 },
      { ...usageOf(7, 2), totalTokens: 20 },
    ],
  ])('usage that is %s', (_says, usage, expected) => {
    const body = response([message('Hi')], usage === undefined ? {} : { usage })
    expect(decodeResponse(body).usage).toEqual(expected)
    expect(collected(eventsOf(client, responsesFrames(body))).usage).toEqual(expected)
  })

  test('a report of 0 stands for an answer that a filter ended', () => {
    const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
    const filtered = { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, usage }
    const body = response([message('Hi')], filtered)
    expect(decodeResponse(body).usage).toEqual(usageOf(0, 0))
    expect(eventsOf(client, responsesFrames(body)).slice(-2)).toMatchObject([
      { type: 'usage', usage: usageOf(0, 0) },
      { type: 'finish', reason: 'content_filter' },
    ])
  })

  test('log probabilities are those of chat', () => {
    const logprobs = [
      { token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [{ token: 'Ho', logprob: -2 }] },
      { token: '!', logprob: -0.2 },
    ]
    expect(decodeResponse(response([message('Hi!', { logprobs })])).choices[0]?.logprobs).toEqual({
      content: [
        {
          token: 'Hi',
          logprob: -0.1,
          bytes: [72, 105],
          top_logprobs: [{ token: 'Ho', logprob: -2, bytes: null }],
        },
        { token: '!', logprob: -0.2, bytes: null, top_logprobs: [] },
      ],
      refusal: null,
    })
  })

  test('citations of files of an account do not pass', () => {
    const annotations = [
      { type: 'file_citation', file_id: 'file-1', filename: 'a.pdf', index: 1 },
      { type: 'container_file_citation', container_id: 'c', file_id: 'f', start_index: 0, end_index: 1 },
      { type: 'file_path', file_id: 'file-2', index: 1 },
      { type: 'file_citation', file_id: 'file-3', url: 'https://example.com/files/3' },
    ]
    expect(decodeResponse(response([message('Hi', { annotations })])).choices[0]?.message).toEqual({
      role: 'assistant',
      content: 'Hi',
    })
  })

  test.each([
    [
      'no call id',
      { id: 'fc_1', name: 'f' },
      { id: 'call_9_0', type: 'function', function: { name: 'f', arguments: '{}' } },
    ],
    ['no id', { name: 'f' }, { id: 'call_9_0', type: 'function', function: { name: 'f', arguments: '{}' } }],
    [
      'arguments as an object',
      { call_id: 'call_1', name: 'f', arguments: { a: 1 } },
      { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
    ],
    [
      'no name',
      { call_id: 'call_1' },
      { id: 'call_1', type: 'function', function: { name: '', arguments: '{}' } },
    ],
  ])('a call with %s is whole', (_says, item, expected) => {
    const body = response([{ type: 'function_call', ...item }])
    expect(decodeResponse(body, 1, undefined, '9').choices[0]?.message.tool_calls).toEqual([
      expected as never,
    ])
    const frames = responsesFrames(body, 'items')
    expect(collected(eventsOf(client, frames, 1, undefined, '9')).choices[0]?.message.tool_calls).toEqual([
      expected as never,
    ])
  })

  test('an answer without items is empty', () => {
    expect(decodeResponse(response([])).choices).toEqual([
      { index: 0, message: { role: 'assistant', content: '' }, finishReason: 'stop' },
    ])
  })
})

describe('error answers', () => {
  test.each(errors)('$name', ({ status, body, failure }) => {
    const read = decodeError({ status, headers: new Map(), body: JSON.stringify(body) })
    const { detail: _detail, sign: _sign, status: _status, ...rest } = read
    expect(rest).toEqual(failure as never)
  })
})
