import type { WireFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeRequest } from './encodeRequest.ts'

/** Amazon Bedrock's Converse and ConverseStream; the stream is binary (`aws-event-stream`). */
export const bedrockConverse: WireFormat<'bedrock-converse'> = {
  id: 'bedrock-converse',
  displayName: 'Bedrock',
  defaultAuth: { kind: 'sigv4', service: 'bedrock' },
  family: 'bedrock',
  framing: 'aws-event-stream',
  choices: 'calls',
  toolCalls: 'pieces',
  quirks: [],
  client: { encodeRequest, decodeResponse, decodeStream, decodeError },
}
