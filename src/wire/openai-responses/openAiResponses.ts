import type { WireFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeRequest } from './encodeRequest.ts'

/** OpenAI's Responses: a conversation as items, among which thoughts and calls have their own places. */
export const openAiResponses: WireFormat<'openai-responses'> = {
  id: 'openai-responses',
  displayName: 'OpenAI Responses',
  defaultAuth: { kind: 'bearer' },
  framing: 'sse',
  choices: 'calls',
  toolCalls: 'pieces',
  quirks: [],
  client: { encodeRequest, decodeResponse, decodeStream, decodeError },
}
