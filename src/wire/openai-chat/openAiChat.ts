import type { CallerFormat } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeRequest } from './decodeRequest.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeError } from './encodeError.ts'
import { encodeRequest } from './encodeRequest.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'
import { passRequest } from './passRequest.ts'

/** OpenAI's chat completions: what callers speak to us, and most providers' native or second tongue. */
export const openAiChat: CallerFormat<'openai-chat'> = {
  id: 'openai-chat',
  displayName: 'OpenAI',
  defaultAuth: { kind: 'none' },
  framing: 'sse',
  choices: 'n',
  toolCalls: 'pieces',
  quirks: [
    'supportsN',
    'maxTokensField',
    'streamOptions',
    'instructionRole',
    'dropMessageFields',
    'customTools',
  ],
  client: { encodeRequest, decodeResponse, decodeStream, decodeError },
  server: { decodeRequest, encodeResponse, encodeStream, encodeError },
  native: { headers: [], encodeRequest: passRequest },
}
