import type { ConversationMemory } from '../chat/chat.ts'
import { attempt } from './attempt.ts'
import { keep } from './keep.ts'
import { recall } from './recall.ts'

/** How `POST /v1/responses` keeps its answers, and finds those that requests refer to (docs/api.md#kept-responses). */
export const responsesMemory: ConversationMemory = { recall, attempt, keep }
