import type { Conversation } from './conversation.ts'
import { ANSWER_CONVERSATIONS, REASONING_CONVERSATIONS } from './data/answers.ts'
import { MEDIA_CONVERSATIONS } from './data/media.ts'
import { MESSAGE_CONVERSATIONS } from './data/messages.ts'
import { PARAMETER_CONVERSATIONS } from './data/parameters.ts'
import { TOOL_CONVERSATIONS } from './data/tools.ts'

/** All conversations, by what they are about: the sections of docs/differences.md. */
export const CONVERSATIONS: ReadonlyMap<string, readonly Conversation[]> = new Map([
  ['Messages', MESSAGE_CONVERSATIONS],
  ['Tools', TOOL_CONVERSATIONS],
  ['Images, files and audio', MEDIA_CONVERSATIONS],
  ['Answers', ANSWER_CONVERSATIONS],
  ['Reasoning', REASONING_CONVERSATIONS],
  ['Parameters', PARAMETER_CONVERSATIONS],
])
