import type { WireFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeRequest } from './decodeRequest.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeError } from './encodeError.ts'
import { encodeRequest } from './encodeRequest.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'

/** Cohere's chat API, version 2. */
export const cohereChat: WireFormat = {
  id: 'cohere-chat',
  client: { framing: 'sse', encodeRequest, decodeResponse, decodeStream, decodeError },
  server: { decodeRequest, encodeResponse, encodeStream, encodeError },
}
