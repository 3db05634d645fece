import type { WireFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeRequest } from './encodeRequest.ts'

/** Gemini's generateContent, of the Gemini API and of Vertex AI: https://ai.google.dev/api/generate-content */
export const googleGenerate: WireFormat<'google-generate'> = {
  id: 'google-generate',
  displayName: 'Google',
  defaultAuth: { kind: 'header', name: 'x-goog-api-key' },
  framing: 'sse',
  // It has `candidateCount`, but many models refuse it: parallel calls serve them all.
  choices: 'calls',
  // Arguments come in pieces only if `streamFunctionCallArguments` asks for it. The Gemini API does not have it, and the
  // gateway does not send it: https://googleapis.github.io/js-genai/release_docs/interfaces/types.FunctionCall.html
  toolCalls: 'whole',
  family: 'google',
  quirks: ['supportsN'],
  client: { encodeRequest, decodeResponse, decodeStream, decodeError },
}
