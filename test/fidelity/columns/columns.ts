import type { WireFormatId } from '../../../src/wire/formats.ts'
import type { Column } from '../column.ts'
import { anthropicColumn } from './anthropicMessages.ts'
import { bedrockColumn } from './bedrockConverse.ts'
import { cohereColumn } from './cohereChat.ts'
import { googleColumn } from './googleGenerate.ts'
import { mistralColumn } from './mistralChat.ts'
import { openaiColumn } from './openaiChat.ts'
import { responsesColumn } from './openaiResponses.ts'

/** Every format has its column: a further one does not compile without. */
export const COLUMNS: Readonly<Record<WireFormatId, Column>> = {
  'openai-chat': openaiColumn,
  'openai-responses': responsesColumn,
  'anthropic-messages': anthropicColumn,
  'google-generate': googleColumn,
  'bedrock-converse': bedrockColumn,
  'mistral-chat': mistralColumn,
  'cohere-chat': cohereColumn,
}
