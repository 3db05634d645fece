import type { WireFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeRequest } from './decodeRequest.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeError } from './encodeError.ts'
import { encodeRequest } from './encodeRequest.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'

/** Gemini's generateContent, of the Gemini API and of Vertex AI: https://ai.google.dev/api/generate-content */
export const googleGenerate: WireFormat = {
  id: 'google-generate',
  client: { framing: 'sse', encodeRequest, decodeResponse, decodeStream, decodeError },
  server: { decodeRequest, encodeResponse, encodeStream, encodeError },
}
