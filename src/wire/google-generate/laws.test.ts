import * as fc from 'fast-check'
import type { ChatRequest, Message, ReasoningDetail, ToolCall } from '../../core/chat/request.ts'
import type { Choice } from '../../core/answer/wholeAnswer.ts'
import {
  anyText,
  anyWords,
  plainChoices,
  plainMessages,
  requestOf,
  responseOf,
  someFields,
  toolCalls,
  toolMessages,
  tools,
} from '../../../test/support/chatArbitraries.ts'
import { describeCodecLaws } from '../../../test/support/codecLaws.ts'
import { googleServer } from '../../../test/support/wireServers/google-generate/googleServer.ts'
import type { WireFormat } from '../wire.ts'
import { googleGenerate } from './googleGenerate.ts'
import { readRequestPath } from '../../../test/support/wireServers/google-generate/path.ts'

const TARGET_MODEL = 'gemini-3.1-flash'

/** The format with its door: what the path says is added to the body. */
const withDoor: WireFormat = {
  ...googleGenerate,
  client: {
    ...googleGenerate.client,
    encodeRequest(request, target) {
      const encoded = googleGenerate.client.encodeRequest(request, target)
      return { ...encoded, body: { ...encoded.body, ...readRequestPath(encoded.path) } }
    },
  },
}

function signed(calls: readonly ToolCall[], signature: string): readonly ReasoningDetail[] {
  return calls
    .slice(0, 1)
    .map(({ id }) => ({ type: 'reasoning.encrypted', id, data: signature, format: 'google-gemini-v1' }))
}

const richMessages: fc.Arbitrary<readonly Message[]> = fc
  .tuple(plainMessages, toolCalls, anyWords)
  .map(([messages, calls, text]) => [
    ...messages.filter(({ role }) => role === 'system'),
    {
      role: 'user',
      content: [
        { type: 'text', text },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } },
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        { type: 'image_url', image_url: { url: 'gs://bucket/cat.png' } },
      ],
    },
    { role: 'assistant', content: text, tool_calls: calls, reasoning_details: signed(calls, text) },
    ...calls.map((call): Message => ({ role: 'tool', tool_call_id: call.id, content: text })),
    { role: 'user', content: 'And now?' },
  ])

const fields: fc.Arbitrary<Partial<ChatRequest>> = someFields(
  'maxTokens',
  'temperature',
  'topP',
  'frequencyPenalty',
  'presencePenalty',
  'stop',
  'seed',
)

const toolUse: fc.Arbitrary<Partial<ChatRequest>> = fc.record({
  tools,
  toolChoice: fc.constantFrom<NonNullable<ChatRequest['toolChoice']>>('auto', 'none', 'required', {
    type: 'function',
    function: { name: 'f' },
  }),
})

const output: fc.Arbitrary<Partial<ChatRequest>> = fc.record(
  {
    n: fc.integer({ min: 1, max: 8 }),
    reasoningEffort: fc.constantFrom('minimal', 'low', 'medium', 'high'),
    responseFormat: fc.constantFrom<NonNullable<ChatRequest['responseFormat']>>(
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { name: 'response', schema: { type: 'object' } } },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
)

function both(
  one: fc.Arbitrary<Partial<ChatRequest>>,
  other: fc.Arbitrary<Partial<ChatRequest>>,
): fc.Arbitrary<Partial<ChatRequest>> {
  return fc.tuple(one, other).map(([a, b]) => ({ ...a, ...b }))
}

const signedChoices: fc.Arbitrary<Omit<Choice, 'index'>> = fc
  .tuple(fc.option(anyText), anyText, toolCalls)
  .map(([content, text, calls]) => ({
    message: {
      role: 'assistant',
      content,
      reasoning_content: text,
      reasoning_details: signed(calls, text),
      tool_calls: calls,
    },
    finishReason: 'tool_calls',
  }))

const likelyChoices: fc.Arbitrary<Omit<Choice, 'index'>> = anyText.map((token) => ({
  message: { role: 'assistant', content: token },
  finishReason: 'stop',
  logprobs: {
    content: [
      {
        token,
        logprob: -0.5,
        bytes: [...new TextEncoder().encode(token)],
        top_logprobs: [{ token: 'a', logprob: -1, bytes: [97] }],
      },
    ],
    refusal: null,
  },
}))

const blocked: fc.Arbitrary<Omit<Choice, 'index'>> = fc.constant({
  message: { role: 'assistant', content: '' },
  finishReason: 'content_filter',
})

/** A signed model may not be sent an unsigned call: the dummy would be no part of the request. */
const signedToolMessages = toolMessages.map((messages) =>
  messages.map((message) =>
    message.tool_calls ? { ...message, reasoning_details: signed(message.tool_calls, 'c2ln') } : message,
  ),
)

describeCodecLaws(withDoor, googleServer, {
  request: fc
    .oneof(
      requestOf(plainMessages, both(fields, output)),
      requestOf(signedToolMessages, both(fields, toolUse)),
      requestOf(richMessages, both(fields, output)),
    )
    .map((request) => ({ ...request, model: TARGET_MODEL })),
  response: responseOf(fc.oneof(plainChoices, signedChoices, likelyChoices, blocked), 3),
  target: {
    upstreamModel: TARGET_MODEL,
    maxOutputTokens: 1_000_000,
    quirks: {},
    unsupportedFields: [],
    facts: {
      reasoning: { kind: 'level', levels: ['minimal', 'low', 'medium', 'high'] },
      requiresSignedCalls: true,
    },
  },
})
