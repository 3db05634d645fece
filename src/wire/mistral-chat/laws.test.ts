import * as fc from 'fast-check'
import {
  anyText,
  anyWords,
  plainChoices,
  plainMessages,
  requestOf,
  responseOf,
  someFields,
  toolMessages,
  tools,
} from '../../../test/support/chatArbitraries.ts'
import { describeCodecLaws } from '../../../test/support/codecLaws.ts'
import { mistralServer } from '../../../test/support/wireServers/mistral-chat/mistralServer.ts'
import type { Message } from '../../core/chat/request.ts'
import type { Choice } from '../../core/answer/wholeAnswer.ts'
import { mistralChat } from './mistralChat.ts'
import { mistralId } from './toolCallId.ts'

/** Conversations whose ids are Mistral's own and that end with a user or a tool. */
function native(messages: readonly Message[]): readonly Message[] {
  const own = messages.map((message) => ({
    ...message,
    ...(message.tool_call_id === undefined ? {} : { tool_call_id: mistralId(message.tool_call_id) }),
    ...(message.tool_calls === undefined
      ? {}
      : { tool_calls: message.tool_calls.map((call) => ({ ...call, id: mistralId(call.id) })) }),
  }))
  return own.at(-1)?.role === 'assistant' ? [...own, { role: 'user', content: 'And?' }] : own
}

const thoughtful = fc.tuple(anyWords, anyWords).map(([thought, text]): readonly Message[] => [
  {
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: 'https://a.b/c.png' } },
    ],
  },
  { role: 'assistant', content: text, reasoning_content: thought },
  {
    role: 'assistant',
    content: text,
    reasoning_content: thought + text,
    reasoning_details: [
      { type: 'reasoning.text', text: thought, signature: 'c2ln', format: 'mistral-v1' },
      { type: 'reasoning.text', text, signature: 'bmF0', format: 'mistral-v1' },
    ],
  },
  { role: 'user', content: text },
])

const fields = fc
  .tuple(
    someFields('maxTokens', 'frequencyPenalty', 'presencePenalty', 'stop', 'seed', 'parallelToolCalls'),
    fc.record(
      {
        n: fc.integer({ min: 1, max: 128 }),
        temperature: fc.integer({ min: 1, max: 10 }).map((value) => value / 10),
        topP: fc.integer({ min: 1, max: 10 }).map((value) => value / 10),
        tools,
        responseFormat: fc.constantFrom(
          { type: 'json_object' },
          { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' }, strict: true } },
        ),
        reasoningEffort: fc.constantFrom('none', 'low', 'high'),
        promptCacheKey: anyText,
        extra: fc.constantFrom({}, { prediction: { type: 'content', content: 'foretold' } }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.constantFrom('none' as const, 'auto' as const, 'required' as const, {
      type: 'function' as const,
      function: { name: 'look' },
    }),
  )
  .map(([common, own, toolChoice]) => ({ ...common, ...own, ...(own.tools ? { toolChoice } : {}) }))

const reasoned = fc
  .tuple(fc.array(anyText, { minLength: 1, maxLength: 3 }), anyText, fc.boolean())
  .map(([thoughts, content, signed]): Omit<Choice, 'index'> => ({
    message: {
      role: 'assistant',
      content,
      reasoning_content: thoughts.join(''),
      ...(signed
        ? {
            reasoning_details: thoughts.map((text, i) => ({
              type: 'reasoning.text',
              format: 'mistral-v1',
              text,
              signature: `s${i}`,
            })),
          }
        : {}),
    },
    finishReason: 'stop',
  }))

describeCodecLaws(mistralChat, mistralServer, {
  request: requestOf(fc.oneof(plainMessages, toolMessages, thoughtful).map(native), fields),
  response: responseOf(fc.oneof(plainChoices, reasoned), 3),
})
