import { anthropicMessages } from '../../../src/wire/anthropic-messages/anthropicMessages.ts'
import { openAiChat } from '../../../src/wire/openai-chat/openAiChat.ts'
import { openAiResponses } from '../../../src/wire/openai-responses/openAiResponses.ts'
import type { WireFormatId } from '../../../src/wire/formats.ts'
import { bedrockServer } from './bedrock-converse/bedrockServer.ts'
import { cohereServer } from './cohere-chat/cohereServer.ts'
import { googleServer } from './google-generate/googleServer.ts'
import { mistralServer } from './mistral-chat/mistralServer.ts'
import type { ServerCodec } from './serverCodec.ts'

/** The provider's side of every wire format. Formats that callers speak have it in `src`, the others here. */
export const WIRE_SERVERS: Readonly<Record<WireFormatId, ServerCodec<string | Uint8Array>>> = {
  'openai-chat': openAiChat.server,
  'anthropic-messages': anthropicMessages.server,
  'google-generate': googleServer,
  'bedrock-converse': bedrockServer,
  'mistral-chat': mistralServer,
  'cohere-chat': cohereServer,
  'openai-responses': openAiResponses.server,
}
