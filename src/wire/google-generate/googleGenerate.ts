import type { WireFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeRequest } from './encodeRequest.ts'

/** Gemini's generateContent, of the Gemini API and of Vertex AI: https://ai.google.dev/api/generate-content */
export const googleGenerate: WireFormat = {
  id: 'google-generate',
  client: { framing: 'sse', encodeRequest, decodeResponse, decodeStream, decodeError },
}
