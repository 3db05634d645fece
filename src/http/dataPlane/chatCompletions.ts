import { chatIn } from '../../pipeline/chat/chat.ts'
import { openAiChat } from '../../wire/openai-chat/openAiChat.ts'
import { CHAT_EXAMPLES, type ChatExample } from '../docs/chatExamples.ts'
import { ChatCompletionRequest } from '../docs/chatRequestSchema.ts'
import { ChatCompletion, ChatCompletionChunk } from '../docs/chatResponseSchema.ts'
import { PRICED_HEADERS } from './headers.ts'
import { priced } from './priced.ts'

const format = openAiChat.server

export const chatCompletions = priced({
  path: '/v1/chat/completions',
  idPrefix: 'chatcmpl-',
  encodeError: format.encodeError,
  priced: chatIn(openAiChat),
  description: {
    operationId: 'create_chat_completion',
    summary: 'Create a chat completion',
    details:
      'With `stream: true` the response is a stream of server-sent events: a chunk with the role, chunks with content, a chunk with an empty `delta` and the `finish_reason`, then `data: [DONE]`. A stream that fails ends with a chunk that holds an error object, without `[DONE]`, and costs nothing.',
    tag: 'Models and completions',
    body: {
      required: true,
      content: {
        'application/json': {
          schema: ChatCompletionRequest,
          examples: examplesOf(CHAT_EXAMPLES, ({ request }) => request),
        },
      },
    },
    responses: {
      200: {
        description: 'The completion, or its stream.',
        headers: PRICED_HEADERS,
        content: {
          'application/json': {
            schema: ChatCompletion,
            examples: examplesOf(examples('object'), ({ response }) => response),
          },
          'text/event-stream': {
            schema: ChatCompletionChunk,
            examples: examplesOf(examples('string'), ({ response }) => response),
          },
        },
      },
    },
  },
})

/** @param type of the answer: a stream is a text */
function examples(type: 'object' | 'string'): readonly ChatExample[] {
  return CHAT_EXAMPLES.filter(({ response }) => typeof response === type)
}

function examplesOf(
  examples: readonly ChatExample[],
  value: (example: ChatExample) => unknown,
): Record<string, { summary: string; value: unknown }> {
  return Object.fromEntries(
    examples.map((example) => [example.name, { summary: example.summary, value: value(example) }]),
  )
}
