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
import { openAiResponses } from './openAiResponses.ts'

/** What a reasoning item before the message becomes. */
const thoughts: fc.Arbitrary<readonly ReasoningDetail[]> = fc
  .tuple(fc.array(anyText, { maxLength: 2 }), anyText)
  .map(([summaries, data]) => [
    ...summaries.map((summary) => ({ type: 'reasoning.summary', summary, ...FIRST })),
    { type: 'reasoning.encrypted', data, ...FIRST },
  ])

const FIRST = { format: 'openai-responses-v1', index: 0 }

/** The readable part of reasoning, as a message says it beside the details. */
function withThoughts<Said extends object>(said: Said, details: readonly ReasoningDetail[]): Said {
  const text = details.flatMap(({ summary }) => (typeof summary === 'string' ? [summary] : [])).join('\n\n')
  return { ...said, ...(text !== '' && { reasoning_content: text }), reasoning_details: details }
}

const thoughtfulMessages: fc.Arbitrary<readonly Message[]> = fc
  .tuple(plainMessages, thoughts, toolCalls, anyWords)
  .map(([messages, details, calls, text]) => [
    ...messages.filter(({ role }) => role === 'system'),
    {
      role: 'user',
      content: [
        { type: 'text', text },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' } },
        { type: 'image_url', image_url: { url: 'https://example.com/cat.png', detail: 'high' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } },
      ],
    },
    withThoughts<Message>({ role: 'assistant', content: text, tool_calls: calls }, details),
    ...calls.map((call): Message => ({ role: 'tool', tool_call_id: call.id, content: text })),
    { role: 'user', content: 'And now?' },
  ])

const limits = fc.record(
  { maxTokens: fc.integer({ min: 16, max: 4096 }) },
  { requiredKeys: [], noNullPrototype: true },
)

const toolUse: fc.Arbitrary<Partial<ChatRequest>> = fc
  .tuple(tools, fc.constantFrom('auto', 'none', 'required', 'named'), someFields('parallelToolCalls'))
  .map(([offered, choice, more]) => ({ ...more, tools: offered, toolChoice: choiceOf(offered, choice) }))

function choiceOf(
  [first]: NonNullable<ChatRequest['tools']>,
  choice: 'auto' | 'none' | 'required' | 'named',
): NonNullable<ChatRequest['toolChoice']> {
  return choice === 'named' ? { type: 'function', function: { name: String(first?.function?.name) } } : choice
}

const output: fc.Arbitrary<Partial<ChatRequest>> = fc.record(
  {
    reasoningEffort: fc.constantFrom('none', 'low', 'medium', 'high', 'xhigh', 'max'),
    responseFormat: fc.constant({
      type: 'json_schema' as const,
      json_schema: {
        name: 'place',
        strict: true,
        schema: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false },
      },
    }),
    extra: fc.record(
      { verbosity: fc.constantFrom('low', 'high'), metadata: fc.constant({ a: 'b' }) },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
)

/** Fields of several kinds in one request. */
function together(...kinds: fc.Arbitrary<Partial<ChatRequest>>[]): fc.Arbitrary<Partial<ChatRequest>> {
  return fc.tuple(limits, ...kinds).map((parts) => Object.assign({}, ...parts) as Partial<ChatRequest>)
}

const sampling = someFields('temperature', 'topP', 'user')

const thoughtfulChoices: fc.Arbitrary<Omit<Choice, 'index'>> = fc
  .tuple(fc.option(anyText), thoughts, fc.option(toolCalls))
  .map(([content, details, calls]) => ({
    message: withThoughts<AssistantMessage>(
      { role: 'assistant', content: content ?? (calls ? null : ''), ...(calls && { tool_calls: calls }) },
      details,
    ),
    finishReason: calls ? 'tool_calls' : 'stop',
  }))

const refusals: fc.Arbitrary<Omit<Choice, 'index'>> = anyText.map((refusal) => ({
  message: { role: 'assistant', content: null, refusal },
  finishReason: 'stop',
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

/** `strict` is always written, and absent it is false. */
function comparable(request: ChatRequest): ChatRequest {
  const { tools: offered, ...rest } = request
  if (offered === undefined) return rest
  return {
    ...rest,
    tools: offered.map((tool) =>
      tool.function ? { ...tool, function: { strict: false, ...tool.function } } : tool,
    ),
  }
}

describeCodecLaws(openAiResponses, openAiResponses.server, {
  request: fc.oneof(
    requestOf(plainMessages, together(sampling)),
    requestOf(toolMessages, together(sampling, toolUse)),
    requestOf(thoughtfulMessages, together(output)),
  ),
  response: responseOf(fc.oneof(plainChoices, thoughtfulChoices, refusals, citedAnswers)),
  comparable,
  target: encodeTarget('upstream-model', { maxOutputTokens: 1_000_000, hiddenReasoning: 'by_default' }),
})
