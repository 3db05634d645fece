import type { WireFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeRequest } from './encodeRequest.ts'

/** Cohere's chat API, version 2. */
export const cohereChat: WireFormat = {
  id: 'cohere-chat',
  client: { framing: 'sse', encodeRequest, decodeResponse, decodeStream, decodeError },
}
