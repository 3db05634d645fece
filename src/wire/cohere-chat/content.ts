import type { Message } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { readObjects, readText } from '../read.ts'

/** Content is a string or a list of `text` and `thinking` items. */
export function readContent(content: Json | undefined): { text: string; reasoning: string } {
  if (typeof content === 'string') return { text: content, reasoning: '' }
  let text = ''
  let reasoning = ''
  for (const item of readObjects(content)) {
    text += readText(item.text) ?? ''
    reasoning += readText(item.thinking) ?? ''
  }
  return { text, reasoning }
}

/** Thoughts as an item of content; none where there are none. */
export function thinkingOf(message: Pick<Message, 'reasoning_content'>): JsonObject[] {
  const { reasoning_content: thought } = message
  return thought ? [{ type: 'thinking', thinking: thought }] : []
}
