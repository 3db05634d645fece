import type { WireFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeRequest } from './decodeRequest.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeError } from './encodeError.ts'
import { encodeRequest } from './encodeRequest.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'

/** Amazon Bedrock's Converse and ConverseStream; the stream is binary (`aws-event-stream`). */
export const bedrockConverse: WireFormat<Uint8Array> = {
  id: 'bedrock-converse',
  client: { framing: 'aws-event-stream', encodeRequest, decodeResponse, decodeStream, decodeError },
  server: { decodeRequest, encodeResponse, encodeStream, encodeError },
}
