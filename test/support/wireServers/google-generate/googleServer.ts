import type { ServerCodec } from '../serverCodec.ts'
import { decodeRequest } from './decodeRequest.ts'
import { encodeError } from './encodeError.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'

/** Gemini's side of generateContent. */
export const googleServer: ServerCodec = { decodeRequest, encodeResponse, encodeStream, encodeError }
