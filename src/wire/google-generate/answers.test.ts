import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../core/answer/event.ts'
import type { WholeAnswer, Choice } from '../../core/answer/wholeAnswer.ts'
import { UpstreamError, type UpstreamFailure } from '../../core/failure.ts'
import type { Json } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { functionCall, usageOf } from '../../../test/support/chatSamples.ts'
import { framesOfBytes } from '../../../test/support/streamBytes.ts'
import { collected, eventsOf, fixturesIn } from '../../../test/support/wireFixtures.ts'
import errors from './__fixtures__/errors.json'
import { googleGenerate } from './googleGenerate.ts'
import { googleServer } from '../../../test/support/wireServers/google-generate/googleServer.ts'

const { client } = googleGenerate

const { json, bytes, frames } = fixturesIn(import.meta.dir)

function streamed(name: string): AnswerEvent[] {
  return eventsOf(client, frames(`${name}.stream.txt`))
}

function answer(usage: Partial<Usage>, ...choices: Omit<Choice, 'index'>[]): WholeAnswer {
  return {
    choices: choices.map((choice, index) => ({ index, ...choice })),
    usage: usageOf(0, 0, usage),
    extra: {},
  }
}

const BLOCKED: Omit<Choice, 'index'> = {
  message: { role: 'assistant', content: '' },
  finishReason: 'content_filter',
}

/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

const ANSWERS: Readonly<Record<string, WholeAnswer>> = {
  text: answer(
    { promptTokens: 14, cachedTokens: 5, completionTokens: 47, reasoningTokens: 40 },
    {
      message: { role: 'assistant', content: 'Hello, Zoë! 👋', reasoning_content: '**Greeting**\n' },
      finishReason: 'stop',
    },
  ),
  tools: answer(
    { promptTokens: 120, completionTokens: 96, reasoningTokens: 70 },
    {
      message: {
        role: 'assistant',
        content: null,
        reasoning_details: [
          { type: 'reasoning.encrypted', id: 'call_0', data: 'Cs4BAdHtim8=', format: 'google-gemini-v1' },
        ],
        tool_calls: [
          functionCall('call_0', 'check_flight', '{"flight":"AA100"}'),
          functionCall('call_1', 'get_time', '{}'),
        ],
      },
      finishReason: 'tool_calls',
    },
  ),
  images: answer(
    { promptTokens: 16, completionTokens: 1_296 },
    {
      message: {
        role: 'assistant',
        content: 'Here is your image: ',
        images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` }, index: 0 }],
      },
      finishReason: 'stop',
    },
  ),
  ids: answer(
    { promptTokens: 30, completionTokens: 9 },
    {
      message: {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [functionCall('8f2b1a3c', 'get_time', '{"zone":"UTC"}')],
      },
      finishReason: 'tool_calls',
    },
  ),
  blocked: answer({ promptTokens: 12 }, BLOCKED),
  safety: answer({ promptTokens: 12 }, BLOCKED),
  candidates: answer(
    { promptTokens: 4, completionTokens: 3 },
    {
      message: { role: 'assistant', content: 'One' },
      finishReason: 'stop',
      logprobs: {
        content: [
          {
            token: 'One',
            logprob: -0.1,
            bytes: [79, 110, 101],
            top_logprobs: [
              { token: 'One', logprob: -0.1, bytes: [79, 110, 101] },
              { token: 'A', logprob: -2.5, bytes: [65] },
            ],
          },
        ],
        refusal: null,
      },
    },
    { message: { role: 'assistant', content: 'Two more' }, finishReason: 'length' },
  ),
}

describe('answers, whole and streamed, say the same', () => {
  test.each(Object.keys(ANSWERS))('%s', (name) => {
    const expected = ANSWERS[name]
    expect(client.decodeResponse(json(`${name}.json`))).toEqual(expected as WholeAnswer)
    expect(collected(streamed(name))).toEqual(expected as WholeAnswer)
  })
})

describe('streams', () => {
  test('counts of the prompt alone report nothing else; later ones are cumulative', () => {
    const events = streamed('text')
    const reported = events.flatMap((event) => {
      if (event.type !== 'usage') return []
      return [event.usage.lacks ? 'prompt' : event.usage.completionTokens]
    })
    expect(reported).toEqual(['prompt', 41, 47, 47])
  })

  test('the finishes come at the end of the body', () => {
    const events = streamed('candidates')
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['finish', 'finish'])
  })

  test('an error frame ends the stream as its kind', () => {
    expect(streamed('error').at(-1)).toMatchObject({
      type: 'error',
      failure: { kind: 'overloaded', status: 503 },
    })
  })

  test('an answer that is refused half-way ends as filtered', () => {
    const decode = client.decodeStream()
    const frames = [
      { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hello' }] } }] },
      { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
    ]
    const events = frames.flatMap((frame) => decode.push({ event: undefined, data: JSON.stringify(frame) }))
    expect([...events, ...decode.end()].at(-1)).toMatchObject({ type: 'finish', reason: 'content_filter' })
  })

  test('without a finish reason nothing is whole, wherever the bytes end', () => {
    for (const name of ['text', 'tools', 'ids', 'safety', 'blocked']) {
      const body = bytes(`${name}.stream.txt`)
      const finish = new TextDecoder('latin1').decode(body).search(/"(?:finishReason|blockReason)"/)
      for (let end = 0; end < finish; end += 11) {
        const decode = client.decodeStream()
        const events = framesOfBytes([body.subarray(0, end)]).flatMap((frame) => decode.push(frame))
        expect([...events, ...decode.end()].at(-1)?.type).toBe('error')
      }
    }
  })

  test('what is written of an answer that was cut has no finish reason, though one choice had ended', () => {
    const encode = googleServer.encodeStream({ id: 'x', created: 0, model: 'm', includeUsage: true })
    const events: AnswerEvent[] = [
      { type: 'start' },
      { type: 'delta', index: 0, delta: { content: 'One' } },
      { type: 'finish', index: 0, reason: 'stop' },
      { type: 'delta', index: 1, delta: { content: 'Tw' } },
    ]
    const text = [...events.flatMap((event) => encode.push(event)), ...encode.end()].join('')
    expect(text).toContain('One')
    expect(text).not.toContain('finishReason')
  })

  test('fewer candidates than choices are a cut', () => {
    const decode = client.decodeStream(2)
    const frame = { candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP', index: 0 }] }
    decode.push({ event: undefined, data: JSON.stringify(frame) })
    expect(decode.end().at(-1)?.type).toBe('error')
  })
})

function endingIn(finishReason: string, text = 'x'): Json {
  return { candidates: [{ content: { parts: text === '' ? [] : [{ text }] }, finishReason, index: 0 }] }
}

describe('finish reasons', () => {
  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['MODEL_ARMOR', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['IMAGE_RECITATION', 'content_filter'],
    ['OTHER', 'length'],
    ['FINISH_REASON_UNSPECIFIED', 'length'],
    ['NEVER_HEARD_OF', 'length'],
  ] as const)('%s is %s', (reason, expected) => {
    expect(client.decodeResponse(endingIn(reason)).choices[0]?.finishReason).toBe(expected)
  })

  test.each(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])(
    '%s is a failure, whole and streamed',
    (reason) => {
      expect(() => client.decodeResponse(endingIn(reason))).toThrow(UpstreamError)
      const decode = client.decodeStream()
      const events = decode.push({ event: undefined, data: JSON.stringify(endingIn(reason)) })
      expect(events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'malformed_output' } })
    },
  )

  test('OTHER without a word is a failure', () => {
    expect(() => client.decodeResponse(endingIn('OTHER', ''))).toThrow(UpstreamError)
  })

  test('no candidates and no reason are no answer', () => {
    expect(() => client.decodeResponse({ candidates: [] })).toThrow(UpstreamError)
  })
})

describe('error answers', () => {
  const KINDS: Readonly<Record<string, Partial<UpstreamFailure>>> = {
    'bad key': { kind: 'credential', code: 'API_KEY_INVALID' },
    'refused key': { kind: 'credential', code: 'API_KEY_INVALID' },
    'expired key': { kind: 'credential', code: 'INVALID_ARGUMENT' },
    'invalid value': { kind: 'bad_request', code: 'INVALID_ARGUMENT', param: 'temperature' },
    'missing signature': { kind: 'bad_request', code: 'INVALID_ARGUMENT' },
    'long prompt': { kind: 'too_large', code: 'INVALID_ARGUMENT', limit: 1_048_576, requested: 1_200_000 },
    region: { kind: 'credential', code: 'FAILED_PRECONDITION' },
    'free tier': { kind: 'billing', code: 'FAILED_PRECONDITION' },
    'no token': { kind: 'credential', code: 'UNAUTHENTICATED' },
    'no credit': { kind: 'billing', code: 'RESOURCE_EXHAUSTED' },
    forbidden: { kind: 'credential', code: 'PERMISSION_DENIED' },
    'unknown model': { kind: 'not_found', code: 'NOT_FOUND' },
    'rate limit': { kind: 'rate_limited', code: 'RESOURCE_EXHAUSTED', retryAfterMs: 34_075 },
    'daily quota': { kind: 'rate_limited', code: 'RESOURCE_EXHAUSTED', retryAfterMs: 3_600_000 },
    'daily limit': { kind: 'rate_limited', code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 3_600_000 },
    'quota for good': { kind: 'billing', code: 'RESOURCE_EXHAUSTED' },
    'shared capacity': { kind: 'rate_limited', code: 'RESOURCE_EXHAUSTED' },
    cancelled: { kind: 'server', code: 'CANCELLED' },
    internal: { kind: 'server', code: 'INTERNAL' },
    overloaded: { kind: 'overloaded', code: 'UNAVAILABLE' },
    deadline: { kind: 'server', code: 'DEADLINE_EXCEEDED' },
    'html page': { kind: 'server' },
  }

  test.each(errors)('$name', ({ name, status, body }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const { detail: _, sign: __, ...rest } = client.decodeError({ status, headers: new Map(), body: text })
    expect(rest).toEqual({ status, ...KINDS[name] } as typeof rest)
  })

  test('an error in place of a whole answer is thrown as its kind', () => {
    const body = { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED' } }
    expect(() => client.decodeResponse(body)).toThrow("The provider's rate limit was reached.")
  })
})
