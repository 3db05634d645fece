import { anthropicMessages } from './anthropic-messages/anthropicMessages.ts'
import { googleGenerate } from './google-generate/googleGenerate.ts'
import { openAiChat } from './openai-chat/openAiChat.ts'
import type { WireFormat, WireFormatId } from './wire.ts'

/**
 * Every wire format by its id. To add one: write its folder (`src/wire/<id>/`) with a `WireFormat`,
 * import it here and give it a row; its tests call `describeCodecLaws` of `test/support/codecLaws.ts`.
 */
export const WIRE_FORMATS: Readonly<Partial<Record<WireFormatId, WireFormat>>> = {
  'openai-chat': openAiChat,
  'anthropic-messages': anthropicMessages,
  'google-generate': googleGenerate,
}
