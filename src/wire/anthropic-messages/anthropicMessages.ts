import type { CallerFormat } from '../wire.ts'
import { callersNames } from './callersNames.ts'
import { decodeError } from './decodeError.ts'
import { decodeRequest } from './decodeRequest.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'
import { encodeError } from './encodeError.ts'
import { encodeRequest } from './encodeRequest.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'
import { nativeLane } from './native/nativeLane.ts'
import { providerTokenCount } from './tokenCount.ts'

/** Anthropic's Messages API, version 2023-06-01: https://platform.claude.com/docs/en/api/messages */
export const anthropicMessages: CallerFormat<'anthropic-messages'> = {
  id: 'anthropic-messages',
  displayName: 'Anthropic',
  defaultAuth: { kind: 'header', name: 'x-api-key' },
  framing: 'sse',
  choices: 'calls',
  toolCalls: 'pieces',
  family: 'anthropic',
  quirks: [],
  client: { encodeRequest, decodeResponse, decodeStream, decodeError, tokenCount: providerTokenCount },
  server: { decodeRequest, encodeResponse, encodeStream, encodeError, callersNames },
  native: nativeLane,
}
