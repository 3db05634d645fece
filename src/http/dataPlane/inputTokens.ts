import { tokenCountIn } from '../../pipeline/chat/tokenCount.ts'
import { responsesMemory } from '../../pipeline/responses/memory.ts'
import { openAiResponses } from '../../wire/openai-responses/openAiResponses.ts'
import { callerTokenCount } from '../../wire/openai-responses/tokenCount.ts'
import { answers } from '../docs/errorSchema.ts'
import { ResponseTokenCount, ResponseTokenCountRequest } from '../docs/responsesSchema.ts'
import { free } from './free.ts'
import { COUNT_HEADERS } from './headers.ts'

/** OpenAI's count of the tokens of an input, at every provider. */
export const inputTokens = free({
  path: '/v1/responses/input_tokens',
  idPrefix: 'req_',
  encodeError: openAiResponses.server.encodeError,
  free: tokenCountIn(openAiResponses, callerTokenCount, responsesMemory),
  description: {
    operationId: 'count_response_tokens',
    summary: 'Count the tokens of the input of a response',
    details:
      'Costs nothing and needs no balance, but counts against the rate limits. Where the model is asked in this format, the number is from its provider. Otherwise, or if that fails within three seconds, it is an estimate of the gateway, with the header `x-tollgate-estimated: true`.',
    tag: 'Models and completions',
    refusals: ['previous_response_not_found', 'not_found'],
    body: {
      required: true,
      content: {
        'application/json': {
          schema: ResponseTokenCountRequest,
          examples: {
            text: {
              summary: 'A question',
              value: { model: 'acme/chat-1', input: 'What is the capital of France?' },
            },
          },
        },
      },
    },
    responses: answers(200, 'The number of tokens.', ResponseTokenCount, COUNT_HEADERS),
  },
})
