import type { WireFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeRequest } from './encodeRequest.ts'

/** Amazon Bedrock's Converse and ConverseStream; the stream is binary (`aws-event-stream`). */
export const bedrockConverse: WireFormat = {
  id: 'bedrock-converse',
  client: { framing: 'aws-event-stream', encodeRequest, decodeResponse, decodeStream, decodeError },
}
