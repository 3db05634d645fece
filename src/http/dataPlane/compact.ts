import { GatewayError, refuse } from '../../core/error.ts'
import { openAiResponses } from '../../wire/openai-responses/openAiResponses.ts'
import { counted } from './counted.ts'
import type { DataPlaneEndpoint } from './endpoint.ts'

const NOT_AVAILABLE = refuse(
  'invalid_request',
  'Compacting a conversation is not available here. Ask the model for a summary of it with `POST /v1/responses`, and send that in its place.',
)

/** What OpenAI has for conversations that have grown too long. An agent that calls it receives a reason, not an unknown path. */
export const compact: DataPlaneEndpoint = {
  ...counted({
    path: '/v1/responses/compact',
    description: {
      operationId: 'compact_response',
      summary: 'Always an error: conversations are not compacted here',
      tag: 'Models and completions',
      responses: {},
      refusals: ['invalid_request'],
    },
    describe: () => Promise.reject(new GatewayError(NOT_AVAILABLE)),
  }),
  method: 'POST',
  encodeError: openAiResponses.server.encodeError,
}
