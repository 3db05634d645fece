import type { ServerCodec } from '../serverCodec.ts'
import { decodeRequest } from './decodeRequest.ts'
import { encodeError } from './encodeError.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'

/** Cohere's side of its chat API. */
export const cohereServer: ServerCodec = { decodeRequest, encodeResponse, encodeStream, encodeError }
