import * as fc from 'fast-check'
import type { ChatRequest, Message, ReasoningDetail } from '../../core/chat/request.ts'
import type { AssistantMessage, Choice } from '../../core/answer/wholeAnswer.ts'
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
import { encodeTarget } from '../../../test/support/chatSamples.ts'
import { anthropicMessages } from './anthropicMessages.ts'

const signedThoughts: fc.Arbitrary<readonly ReasoningDetail[]> = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('reasoning.text'),
      text: anyText,
      signature: anyText,
      format: fc.constant('anthropic-claude-v1'),
    }),
    fc.record({
      type: fc.constant('reasoning.encrypted'),
      data: anyText,
      format: fc.constant('anthropic-claude-v1'),
    }),
  ),
  { minLength: 1, maxLength: 3 },
)

/** The readable part of signed reasoning, as a message says it beside the details. */
function withReasoning<Said extends object>(said: Said, details: readonly ReasoningDetail[]): Said {
  const text = details.map((detail) => detail.text ?? '').join('')
  return { ...said, ...(text !== '' && { reasoning_content: text }), reasoning_details: details }
}

/** The API takes no blank text and no white space at the end of the last assistant turn. */
const visibleMessages = plainMessages.filter(([...messages]) =>
  messages.every(
    ({ content }) => typeof content === 'string' && content.trim() === content && content !== '',
  ),
)

const thoughtfulMessages: fc.Arbitrary<readonly Message[]> = fc
  .tuple(visibleMessages, signedThoughts, toolCalls, anyWords)
  .map(([messages, details, calls, text]) => [
    ...messages.filter(({ role }) => role === 'system'),
    {
      role: 'user',
      content: [
        { type: 'text', text },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } },
      ],
    },
    withReasoning<Message>({ role: 'assistant', content: text, tool_calls: calls }, details),
    ...calls.map((call): Message => ({ role: 'tool', tool_call_id: call.id, content: text })),
    { role: 'user', content: 'And now?' },
  ])

const limits = fc.record({ maxTokens: fc.integer({ min: 1, max: 4096 }) })

/** The two sampling parameters are never sent together. */
const sampling: fc.Arbitrary<Partial<ChatRequest>> = fc.oneof(
  someFields('topP', 'stop', 'user'),
  fc
    .tuple(someFields('stop', 'user'), fc.integer({ min: 0, max: 10 }))
    .map(([fields, tenths]) => ({ ...fields, temperature: tenths / 10 })),
)

const toolUse: fc.Arbitrary<Partial<ChatRequest>> = fc
  .tuple(tools, fc.constantFrom('auto', 'none', 'required', 'named'))
  .map(([offered, choice]) => ({ tools: offered, toolChoice: choiceOf(offered, choice) }))

function choiceOf(
  [first]: NonNullable<ChatRequest['tools']>,
  choice: 'auto' | 'none' | 'required' | 'named',
): NonNullable<ChatRequest['toolChoice']> {
  if (choice !== 'named') return choice
  return {
    type: 'function',
    function: { name: String((first as { function?: { name?: string } })?.function?.name) },
  }
}

const output: fc.Arbitrary<Partial<ChatRequest>> = fc.record(
  {
    reasoningEffort: fc.constantFrom('none', 'low', 'medium', 'high', 'xhigh', 'max'),
    responseFormat: fc.constant({
      type: 'json_schema' as const,
      json_schema: {
        name: 'response',
        schema: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false },
      },
    }),
  },
  { requiredKeys: [], noNullPrototype: true },
)

/** Fields of several kinds in one request. */
function together(...kinds: fc.Arbitrary<Partial<ChatRequest>>[]): fc.Arbitrary<Partial<ChatRequest>> {
  return fc.tuple(limits, ...kinds).map((parts) => Object.assign({}, ...parts) as Partial<ChatRequest>)
}

const thoughtfulChoices: fc.Arbitrary<Omit<Choice, 'index'>> = fc
  .tuple(fc.option(anyText), signedThoughts, fc.option(toolCalls))
  .map(([content, details, calls]) => ({
    message: withReasoning<AssistantMessage>(
      { role: 'assistant', content: content ?? (calls ? null : ''), ...(calls && { tool_calls: calls }) },
      details,
    ),
    finishReason: calls ? 'tool_calls' : 'stop',
  }))

const refusals: fc.Arbitrary<Omit<Choice, 'index'>> = anyText.map((refusal) => ({
  message: { role: 'assistant', content: null, refusal },
  finishReason: 'content_filter',
}))

const citedAnswers: fc.Arbitrary<Omit<Choice, 'index'>> = anyText.map((content) => ({
  message: {
    role: 'assistant',
    content,
    annotations: [
      {
        type: 'url_citation',
        url_citation: {
          url: 'https://example.com',
          title: 'Example',
          start_index: 0,
          end_index: content.length,
        },
      },
    ],
  },
  finishReason: 'stop',
}))

const cacheWrites = responseOf(fc.oneof(plainChoices, thoughtfulChoices, refusals, citedAnswers)).chain(
  (response) =>
    fc.nat(1000).map((written) => {
      const usage = response.usage
      if (!usage) return response
      return {
        ...response,
        usage: { ...usage, promptTokens: usage.promptTokens + written, cacheWriteTokens: written },
      }
    }),
)

describeCodecLaws(anthropicMessages, anthropicMessages.server, {
  request: fc.oneof(
    requestOf(visibleMessages, together(sampling)),
    requestOf(toolMessages, together(sampling, toolUse)),
    requestOf(thoughtfulMessages, together(output)),
  ),
  response: cacheWrites,
  target: encodeTarget('upstream-model', {
    maxOutputTokens: 1_000_000,
    facts: { reasoning: { kind: 'adaptive' } },
  }),
})
