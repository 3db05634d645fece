import { chatIn } from '../../pipeline/chat/chat.ts'
import { responsesMemory } from '../../pipeline/responses/memory.ts'
import { openAiResponses } from '../../wire/openai-responses/openAiResponses.ts'
import { ResponseEvent, ResponseObject, ResponseRequest } from '../docs/responsesSchema.ts'
import { PRICED_HEADERS } from './headers.ts'
import { priced } from './priced.ts'

/** OpenAI's Responses, at every provider: https://platform.openai.com/docs/api-reference/responses */
export const responses = priced({
  path: '/v1/responses',
  idPrefix: 'resp_',
  encodeError: openAiResponses.server.encodeError,
  priced: chatIn(openAiResponses, responsesMemory),
  description: {
    operationId: 'create_response',
    summary: 'Create a response in the format of OpenAI’s Responses',
    details:
      'For clients that speak this format, at the model of any provider. With `stream: true` the response is a stream of server-sent events, from `response.created` to `response.completed` or `response.incomplete`. A stream that fails ends with `response.failed`, and costs nothing.',
    tag: 'Models and completions',
    refusals: ['previous_response_not_found', 'not_found'],
    body: {
      required: true,
      content: {
        'application/json': {
          schema: ResponseRequest,
          examples: {
            text: {
              summary: 'A question',
              value: { model: 'acme/chat-1', input: 'What is the capital of France?' },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The response, or its stream.',
        headers: PRICED_HEADERS,
        content: {
          'application/json': { schema: ResponseObject },
          'text/event-stream': { schema: ResponseEvent },
        },
      },
    },
  },
})
