import * as fc from 'fast-check'
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
import { cohereServer } from '../../../test/support/wireServers/cohere-chat/cohereServer.ts'
import type { Message } from '../../core/chat/request.ts'
import type { Choice } from '../../core/answer/wholeAnswer.ts'
import { cohereChat } from './cohereChat.ts'

const thoughtful = fc
  .tuple(anyWords, anyWords, toolCalls)
  .map(([thought, text, calls]): readonly Message[] => [
    { role: 'system', content: text },
    {
      role: 'user',
      content: [
        { type: 'text', text },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      ],
    },
    { role: 'assistant', content: text, reasoning_content: thought },
    { role: 'user', content: text },
    { role: 'assistant', content: text, reasoning_content: thought, tool_calls: calls },
    ...calls.map((call): Message => ({ role: 'tool', tool_call_id: call.id, content: text })),
  ])

const fields = fc
  .tuple(
    someFields('maxTokens', 'stop', 'seed'),
    fc.record(
      {
        topP: fc.integer({ min: 1, max: 9 }).map((value) => value / 10),
        reasoningEffort: fc.constantFrom('none', 'medium'),
        logprobs: fc.boolean(),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.integer({ min: 0, max: 10 }).map((value) => ({ temperature: value / 10 })),
    fc.constantFrom({}, { frequencyPenalty: 0.5 }, { presencePenalty: 1 }),
    fc.oneof(
      tools.map((tools) => ({ tools })),
      tools.map((tools) => ({
        tools: tools.map((tool) => ({
          ...tool,
          ...(tool.function && { function: { ...tool.function, strict: true } }),
        })),
        toolChoice: 'required' as const,
      })),
      fc.constantFrom(
        { responseFormat: { type: 'json_object' } },
        {
          responseFormat: {
            type: 'json_schema',
            json_schema: { name: 'response', schema: { type: 'object' } },
          },
        },
      ),
    ),
  )
  .map(([common, own, temperature, penalty, shape]) => ({
    ...common,
    ...own,
    ...temperature,
    ...penalty,
    ...shape,
  }))

const spoken = fc.tuple(anyText, anyText, toolCalls).chain(([thought, content, calls]) =>
  fc.constantFrom<Omit<Choice, 'index'>>(
    { message: { role: 'assistant', content, reasoning_content: thought }, finishReason: 'stop' },
    { message: { role: 'assistant', content, tool_calls: calls }, finishReason: 'tool_calls' },
    {
      message: {
        role: 'assistant',
        content,
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://a.b', title: 'A', start_index: 0, end_index: 1 },
          },
        ],
      },
      finishReason: 'length',
    },
  ),
)

/** Cohere has no word for filtered content, and does not tell reasoning tokens apart. */
const response = responseOf(
  fc.oneof(
    plainChoices.filter((choice) => choice.finishReason !== 'content_filter'),
    spoken,
  ),
).map((given) => ({ ...given, ...(given.usage && { usage: { ...given.usage, reasoningTokens: 0 } }) }))

describeCodecLaws(cohereChat, cohereServer, {
  request: requestOf(fc.oneof(plainMessages, toolMessages, thoughtful), fields),
  response,
})
