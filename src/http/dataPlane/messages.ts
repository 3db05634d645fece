import { chatIn } from '../../pipeline/chat/chat.ts'
import { anthropicMessages } from '../../wire/anthropic-messages/anthropicMessages.ts'
import { Message, MessageError, MessageEvent, MessageRequest } from '../docs/anthropicSchema.ts'
import { PRICED_HEADERS, REQUEST_ID_HEADER } from './headers.ts'
import { priced } from './priced.ts'

const format = anthropicMessages.server

/** Anthropic's Messages, at every provider: https://docs.claude.com/en/api/messages */
export const messages = priced({
  path: '/v1/messages',
  idPrefix: 'msg_',
  idHeader: 'request-id',
  encodeError: format.encodeError,
  priced: chatIn(anthropicMessages),
  description: {
    operationId: 'create_message',
    summary: 'Create a message in the format of Anthropic',
    details:
      'For clients of Anthropic, at the model of any provider. With `stream: true` the response is a stream of server-sent events, from `message_start` to `message_stop`. A stream that fails ends with an `error` event, and costs nothing. Headers such as `anthropic-version` and `anthropic-beta` may have any value.',
    tag: 'Models and completions',
    body: {
      required: true,
      content: {
        'application/json': {
          schema: MessageRequest,
          examples: {
            text: {
              summary: 'A question',
              value: {
                model: 'acme/chat-1',
                max_tokens: 100,
                messages: [{ role: 'user', content: 'What is the capital of France?' }],
              },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The message, or its stream.',
        headers: { ...PRICED_HEADERS, ...REQUEST_ID_HEADER },
        content: {
          'application/json': { schema: Message },
          'text/event-stream': { schema: MessageEvent },
        },
      },
    },
    error: MessageError,
  },
})
