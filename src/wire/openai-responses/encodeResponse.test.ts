import { describe, expect, test } from 'bun:test'
import type { AssistantMessage, Choice, WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import type { ReasoningDetail } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { readObjects, readText } from '../read.ts'
import type { Envelope } from '../wire.ts'
import { decodeRequest } from './decodeRequest.ts'
import { encodeResponse } from './encodeResponse.ts'

const ENVELOPE: Envelope = {
  id: 'resp_X',
  created: 1_795_000_000,
  model: 'acme/chat-1',
  includeUsage: true,
  kept: true,
}

function answerOf(
  message: Partial<AssistantMessage>,
  finishReason: Choice['finishReason'] = 'stop',
): WholeAnswer {
  return {
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finishReason }],
    extra: {},
  }
}

function outputOf(answer: WholeAnswer, envelope = ENVELOPE): JsonObject[] {
  return readObjects(encodeResponse(answer, envelope).output)
}

const CALLS: AssistantMessage['tool_calls'] = [
  { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } },
  { id: 'call_2', type: 'custom', custom: { name: 'g', input: 'x' } } as never,
]

describe('a response', () => {
  test('has all fields of the format, with what holds where the request says nothing', () => {
    expect(encodeResponse(answerOf({ content: 'Hello' }), ENVELOPE)).toEqual({
      id: 'resp_X',
      object: 'response',
      created_at: 1_795_000_000,
      model: 'acme/chat-1',
      background: false,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      metadata: {},
      parallel_tool_calls: true,
      previous_response_id: null,
      prompt_cache_key: null,
      prompt_cache_retention: null,
      safety_identifier: null,
      store: true,
      temperature: 1,
      tool_choice: 'auto',
      top_logprobs: 0,
      top_p: 1,
      truncation: 'disabled',
      user: null,
      frequency_penalty: 0,
      presence_penalty: 0,
      reasoning: { effort: null, summary: null },
      text: { format: { type: 'text' } },
      tools: [],
      status: 'completed',
      error: null,
      incomplete_details: null,
      output: [
        {
          id: 'msg_X_0',
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
        },
      ],
      service_tier: null,
      usage: null,
    })
  })

  test('repeats the request', () => {
    const requestBody = {
      instructions: 'Be brief.',
      temperature: 0.5,
      tools: [{ type: 'function', name: 'f' }],
      text: { verbosity: 'low' },
      reasoning: { effort: 'low' },
      service_tier: 'flex',
      metadata: { a: 'b' },
      user: null,
    }
    expect(encodeResponse(answerOf({}), { ...ENVELOPE, requestBody })).toMatchObject({
      instructions: 'Be brief.',
      temperature: 0.5,
      tools: [{ type: 'function', name: 'f', description: null, parameters: null, strict: null }],
      text: { format: { type: 'text' }, verbosity: 'low' },
      reasoning: { effort: 'low', summary: null },
      service_tier: 'flex',
      metadata: { a: 'b' },
      user: null,
    })
  })

  test('names the tier that served it', () => {
    const answer = { ...answerOf({}), extra: { service_tier: 'default' } }
    const envelope = { ...ENVELOPE, requestBody: { service_tier: 'auto' } }
    expect(encodeResponse(answer, envelope).service_tier).toBe('default')
  })

  test('has the usage with its details', () => {
    const usage = {
      promptTokens: 30,
      cachedTokens: 10,
      cacheWriteTokens: 5,
      completionTokens: 12,
      reasoningTokens: 4,
    }
    expect(encodeResponse({ ...answerOf({}), usage }, ENVELOPE).usage).toEqual({
      input_tokens: 30,
      input_tokens_details: { cached_tokens: 10, cache_write_tokens: 5 },
      output_tokens: 12,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 42,
    })
  })

  test('holds reasoning, the message and calls, with ids by their places', () => {
    const message = { content: 'Well.', reasoning_content: 'Hm.', tool_calls: CALLS }
    expect(outputOf(answerOf(message, 'tool_calls'))).toMatchObject([
      { id: 'rs_X_0', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { id: 'msg_X_1', type: 'message' },
      { id: 'fc_X_2', type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
      { id: 'ctc_X_3', type: 'custom_tool_call', call_id: 'call_2', name: 'g', input: 'x' },
    ])
  })

  test('names no reasoning of an answer that is not kept', () => {
    const envelope = { ...ENVELOPE, kept: false }
    const output = outputOf(answerOf({ content: 'Well.', reasoning_content: 'Hm.' }), envelope)
    expect(output.map(({ id }) => id)).toEqual(['', 'msg_X_1'])
  })

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const)('that was cut by %s is incomplete, and so is its last item', (finishReason, reason) => {
    const response = encodeResponse(answerOf({ content: 'Well.', tool_calls: CALLS }, finishReason), ENVELOPE)
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason } })
    const statuses = readObjects(response.output).map(({ status }) => status)
    expect(statuses).toEqual(['completed', 'completed', 'incomplete'])
  })

  test('has a refusal as a part of its own', () => {
    expect(outputOf(answerOf({ refusal: 'Not this.' }))).toMatchObject([
      { type: 'message', content: [{ type: 'refusal', refusal: 'Not this.' }] },
    ])
  })

  test('has citations and log probabilities beside its text', () => {
    const citation = { url: 'https://example.com', title: 'Example', start_index: 0, end_index: 5 }
    const answer = answerOf({
      content: 'Hello',
      annotations: [{ type: 'url_citation', url_citation: citation }, { type: 'file_citation' }],
    })
    const logprobs = [{ token: 'Hello', logprob: -0.1, bytes: null, top_logprobs: [] }]
    const choices = answer.choices.map((choice) => ({ ...choice, logprobs: { content: logprobs } }))
    expect(outputOf({ ...answer, choices })).toMatchObject([
      { content: [{ annotations: [{ type: 'url_citation', ...citation }], logprobs }] },
    ])
  })
})

describe('reasoning', () => {
  const own = { format: 'openai-responses-v1' }

  test('of the format is one item for each place, before what it led to', () => {
    const details: ReasoningDetail[] = [
      { type: 'reasoning.summary', summary: 'A', ...own, index: 0 },
      { type: 'reasoning.summary', summary: 'B', ...own, index: 0 },
      { type: 'reasoning.text', text: 'C', ...own, index: 0 },
      { type: 'reasoning.encrypted', data: 'gAAAAA', ...own, index: 0 },
      { type: 'reasoning.encrypted', data: 'gBBBBB', ...own, index: 2 },
    ]
    const message = { reasoning_content: 'A\n\nB', reasoning_details: details, tool_calls: CALLS }
    expect(outputOf(answerOf(message, 'tool_calls'))).toMatchObject([
      {
        id: 'rs_X_0',
        summary: [{ text: 'A' }, { text: 'B' }],
        content: [{ type: 'reasoning_text', text: 'C' }],
        encrypted_content: 'gAAAAA',
      },
      { id: 'fc_X_1' },
      { id: 'rs_X_2', summary: [], encrypted_content: 'gBBBBB' },
      { id: 'ctc_X_3' },
    ])
  })

  test.each<[string, readonly ReasoningDetail[]]>([
    [
      'signed thinking and hidden thinking',
      [
        {
          type: 'reasoning.text',
          text: ' Two\n\ncities. ',
          signature: 'c2lnbmF0dXJl+/=',
          format: 'anthropic-claude-v1',
        },
        { type: 'reasoning.text', text: '', signature: 'b21pdHRlZA==', format: 'anthropic-claude-v1' },
        { type: 'reasoning.encrypted', data: 'ZW5jcnlwdGVk', format: 'anthropic-claude-v1' },
      ],
    ],
    [
      'the signatures of calls',
      [
        { type: 'reasoning.encrypted', data: 's1', id: 'call_1', format: 'google-gemini-v1' },
        { type: 'reasoning.encrypted', data: 's2', id: 'call_2', format: 'google-gemini-v1' },
      ],
    ],
    ['what has no format', [{ type: 'reasoning.encrypted', data: 'x' }]],
    ['its own', [{ type: 'reasoning.encrypted', data: 'gAAAAA', ...own, id: 'rs_X_0', index: 0 }]],
  ])('comes back as it was: %s', (_what, details) => {
    const output = outputOf(answerOf({ reasoning_details: details, tool_calls: CALLS }, 'tool_calls'))
    const decoded = decodeRequest(JSON.parse(JSON.stringify({ model: 'm', input: output })) as Json)
    expect(decoded.ok && decoded.request.messages[0]?.reasoning_details).toEqual(details)
  })

  test('of other formats is one item, as long as nothing else comes between', () => {
    const signed = (text: string): ReasoningDetail => ({
      type: 'reasoning.text',
      text,
      signature: `s${text}`,
      format: 'anthropic-claude-v1',
    })
    const details: ReasoningDetail[] = [
      signed('A'),
      signed('B'),
      { type: 'reasoning.encrypted', data: 'd', id: 'call_1', format: 'google-gemini-v1' },
    ]
    const message = { reasoning_details: details, tool_calls: CALLS }
    const [only, ...calls] = outputOf(answerOf(message, 'tool_calls'))
    expect(only).toMatchObject({ id: 'rs_X_0', summary: [{ text: 'A' }, { text: 'B' }] })
    expect(calls).toMatchObject([{ id: 'fc_X_1' }, { id: 'ctc_X_2' }])
    const apart = outputOf(answerOf({ ...message, content: 'Well.' }, 'tool_calls'))
    expect(apart.map(({ id }) => id)).toEqual(['rs_X_0', 'msg_X_1', 'rs_X_2', 'fc_X_3', 'ctc_X_4'])
  })

  test.each<[string, Partial<Envelope>, boolean]>([
    ['nothing', {}, false],
    ['`store: false`', { requestBody: { store: false } }, true],
    ['to include it', { requestBody: { include: ['reasoning.encrypted_content'] } }, true],
  ])('without a signature has `encrypted_content` where the request says %s', (_says, more, has) => {
    const [item] = outputOf(answerOf({ content: 'Well.', reasoning_content: 'Hm.' }), {
      ...ENVELOPE,
      ...more,
    })
    expect(item).toMatchObject({ summary: [{ text: 'Hm.' }] })
    expect(item?.encrypted_content !== undefined).toBe(has)
    const decoded = decodeRequest({ model: 'm', input: [item ?? null] })
    expect(decoded.ok && decoded.request.messages).toEqual([
      { role: 'assistant', content: null, reasoning_content: 'Hm.' },
    ])
  })

  test('says its text once, beside the secret', () => {
    const details = [{ type: 'reasoning.text', text: 'Two cities.', signature: 's', format: 'f' }]
    const [item] = outputOf(answerOf({ reasoning_details: details }))
    expect(JSON.stringify(item).split('Two cities.')).toHaveLength(2)
  })

  test('that was changed on its way is refused by name', () => {
    const [item] = outputOf(
      answerOf({ reasoning_details: [{ type: 'reasoning.text', text: 'a', signature: 's', format: 'f' }] }),
    )
    const changed = { ...item, encrypted_content: (readText(item?.encrypted_content) ?? '').slice(0, -1) }
    expect(decodeRequest({ model: 'm', input: [changed] })).toMatchObject({
      ok: false,
      refusal: { param: 'input[0].encrypted_content' },
    })
  })
})
