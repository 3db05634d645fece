import type { WireFormatId } from '../../src/wire/wire.ts'
import type { Differences } from './difference.ts'
import { ANTHROPIC_DIFFERENCES } from './differences/anthropicMessages.ts'
import { BEDROCK_DIFFERENCES } from './differences/bedrockConverse.ts'
import { COHERE_DIFFERENCES } from './differences/cohereChat.ts'
import { GOOGLE_DIFFERENCES } from './differences/googleGenerate.ts'
import { MISTRAL_DIFFERENCES } from './differences/mistralChat.ts'
import { OPENAI_DIFFERENCES } from './differences/openaiChat.ts'

/** All that the formats are permitted to do otherwise. What is not here fails a test, and so does what is here in vain. */
export const DIFFERENCES: Readonly<Record<WireFormatId, Differences>> = {
  'openai-chat': OPENAI_DIFFERENCES,
  'anthropic-messages': ANTHROPIC_DIFFERENCES,
  'google-generate': GOOGLE_DIFFERENCES,
  'bedrock-converse': BEDROCK_DIFFERENCES,
  'mistral-chat': MISTRAL_DIFFERENCES,
  'cohere-chat': COHERE_DIFFERENCES,
}
