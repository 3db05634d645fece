import { tokenCountIn } from '../../pipeline/chat/tokenCount.ts'
import { anthropicMessages } from '../../wire/anthropic-messages/anthropicMessages.ts'
import { callerTokenCount } from '../../wire/anthropic-messages/tokenCount.ts'
import { MessageError, MessageTokenCount, MessageTokenCountRequest } from '../docs/anthropicSchema.ts'
import { answers } from '../docs/errorSchema.ts'
import { free } from './free.ts'
import { COUNT_HEADERS, REQUEST_ID_HEADER } from './headers.ts'

/** Anthropic's count of a message's tokens, at every provider. */
export const countTokens = free({
  path: '/v1/messages/count_tokens',
  idPrefix: 'req_',
  idHeader: 'request-id',
  encodeError: anthropicMessages.server.encodeError,
  free: tokenCountIn(anthropicMessages, callerTokenCount),
  description: {
    operationId: 'count_message_tokens',
    summary: 'Count the tokens of a message',
    details:
      'Costs nothing and needs no balance, but counts against the rate limits. Where the model is served by Anthropic, the number is from there. Otherwise, or if that fails within three seconds, it is an estimate of the gateway, with the header `x-tollgate-estimated: true`.',
    tag: 'Models and completions',
    body: {
      required: true,
      content: {
        'application/json': {
          schema: MessageTokenCountRequest,
          examples: {
            text: {
              summary: 'A question',
              value: {
                model: 'acme/chat-1',
                messages: [{ role: 'user', content: 'What is the capital of France?' }],
              },
            },
          },
        },
      },
    },
    responses: answers(200, 'The number of tokens.', MessageTokenCount, {
      ...COUNT_HEADERS,
      ...REQUEST_ID_HEADER,
    }),
    error: MessageError,
  },
})
