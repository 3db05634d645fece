import type { ServerCodec } from '../serverCodec.ts'
import { decodeRequest } from './decodeRequest.ts'
import { encodeError } from './encodeError.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'

/** Bedrock's side of Converse and ConverseStream; its stream is binary. */
export const bedrockServer: ServerCodec<Uint8Array> = {
  decodeRequest,
  encodeResponse,
  encodeStream,
  encodeError,
}
