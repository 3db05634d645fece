import type { WireFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeRequest } from './encodeRequest.ts'

/** Mistral's chat completions: OpenAI's shape with a strict body and content that may be a list of chunks. */
export const mistralChat: WireFormat<'mistral-chat'> = {
  id: 'mistral-chat',
  displayName: 'Mistral',
  defaultAuth: { kind: 'none' },
  framing: 'sse',
  choices: 'n',
  toolCalls: 'pieces',
  family: 'mistral',
  quirks: ['supportsN'],
  client: { encodeRequest, decodeResponse, decodeStream, decodeError },
}
