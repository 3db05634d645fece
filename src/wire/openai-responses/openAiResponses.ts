import type { CallerFormat } from '../wire.ts'
import { callersNames } from './callersNames.ts'
import { decodeError } from './decodeError.ts'
import { decodeRequest } from './decodeRequest.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeError } from './encodeError.ts'
import { OUTPUT_TOKENS_MIN, encodeRequest } from './encodeRequest.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'
import { nativeLane } from './native/nativeLane.ts'
import { providerTokenCount } from './tokenCount.ts'

/**
 * OpenAI's Responses: a conversation as items, among which thoughts and calls have their own places.
 * https://platform.openai.com/docs/api-reference/responses
 */
export const openAiResponses: CallerFormat<'openai-responses'> = {
  id: 'openai-responses',
  displayName: 'OpenAI Responses',
  defaultAuth: { kind: 'bearer' },
  framing: 'sse',
  choices: 'calls',
  toolCalls: 'pieces',
  outputTokensMin: OUTPUT_TOKENS_MIN,
  customTools: true,
  quirks: ['customTools'],
  client: { encodeRequest, decodeResponse, decodeStream, decodeError, tokenCount: providerTokenCount },
  server: { decodeRequest, encodeResponse, encodeStream, encodeError, callersNames },
  native: nativeLane,
}
