import type { WireFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeRequest } from './encodeRequest.ts'

/** Cohere's chat API, version 2. */
export const cohereChat: WireFormat<'cohere-chat'> = {
  id: 'cohere-chat',
  displayName: 'Cohere',
  defaultAuth: { kind: 'none' },
  framing: 'sse',
  choices: 'calls',
  toolCalls: 'pieces',
  quirks: [],
  client: { encodeRequest, decodeResponse, decodeStream, decodeError },
}
