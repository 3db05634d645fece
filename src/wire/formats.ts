import { assert } from '../core/assert.ts'
import { anthropicMessages } from './anthropic-messages/anthropicMessages.ts'
import { bedrockConverse } from './bedrock-converse/bedrockConverse.ts'
import { cohereChat } from './cohere-chat/cohereChat.ts'
import { googleGenerate } from './google-generate/googleGenerate.ts'
import { mistralChat } from './mistral-chat/mistralChat.ts'
import { openAiChat } from './openai-chat/openAiChat.ts'
import { openAiResponses } from './openai-responses/openAiResponses.ts'
import type { WireFormat } from './wire.ts'

/** Every wire format, in the order of the documents. CONTRIBUTING.md shows how to add one. */
const FORMATS = [
  openAiChat,
  openAiResponses,
  anthropicMessages,
  googleGenerate,
  bedrockConverse,
  mistralChat,
  cohereChat,
] as const

export type WireFormatId = (typeof FORMATS)[number]['id']

export const WIRE_FORMAT_IDS: readonly WireFormatId[] = FORMATS.map(({ id }) => id)

/** Every wire format by its id. */
export const WIRE_FORMATS = Object.fromEntries<WireFormat<WireFormatId>>(
  FORMATS.map((format) => [format.id, format]),
) as Readonly<Record<WireFormatId, WireFormat<WireFormatId>>>

/** The wire format with an id that a checked configuration names. */
export function wireFormat(id: string): WireFormat<WireFormatId> {
  const format = FORMATS.find((each) => each.id === id)
  assert(format !== undefined, 'a checked configuration names only wire formats that there are')
  return format
}
