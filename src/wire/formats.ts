import { anthropicMessages } from './anthropic-messages/anthropicMessages.ts'
import { bedrockConverse } from './bedrock-converse/bedrockConverse.ts'
import { cohereChat } from './cohere-chat/cohereChat.ts'
import { googleGenerate } from './google-generate/googleGenerate.ts'
import { mistralChat } from './mistral-chat/mistralChat.ts'
import { openAiChat } from './openai-chat/openAiChat.ts'
import type { WireFormat, WireFormatId } from './wire.ts'

/**
 * Every wire format by its id. To add one: write its folder (`src/wire/<id>/`) with a `WireFormat`,
 * import it here and give it a row. Write the provider's side in `test/support/wireServers/<id>/`; its tests call
 * `describeCodecLaws` of `test/support/codecLaws.ts`.
 */
export const WIRE_FORMATS: Readonly<Record<WireFormatId, WireFormat>> = {
  'openai-chat': openAiChat,
  'anthropic-messages': anthropicMessages,
  'google-generate': googleGenerate,
  'bedrock-converse': bedrockConverse,
  'mistral-chat': mistralChat,
  'cohere-chat': cohereChat,
}
