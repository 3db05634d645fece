import type { ServerCodec } from '../serverCodec.ts'
import { decodeRequest } from './decodeRequest.ts'
import { encodeError } from './encodeError.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'

/** Mistral's side of its chat completions. */
export const mistralServer: ServerCodec = { decodeRequest, encodeResponse, encodeStream, encodeError }
