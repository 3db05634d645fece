import type { Message, ReasoningDetail } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'

/** The thinking blocks of an earlier answer. Only signed ones are taken; those of another provider's calls have an `id`. */
export function encodeThinking(message: Message): JsonObject[] {
  const blocks: JsonObject[] = []
  for (const detail of message.reasoning_details ?? []) {
    if (detail.id !== undefined) continue
    if (detail.type === 'reasoning.encrypted' && typeof detail.data === 'string')
      blocks.push({ type: 'redacted_thinking', data: detail.data })
    if (detail.type === 'reasoning.text' && typeof detail.signature === 'string')
      blocks.push({ type: 'thinking', thinking: detail.text ?? '', signature: detail.signature })
  }
  return blocks
}

/** Reads a `thinking` or `redacted_thinking` block; undefined for any other. */
export function decodeThinking(block: JsonObject): ReasoningDetail | undefined {
  if (block.type === 'redacted_thinking' && typeof block.data === 'string')
    return { type: 'reasoning.encrypted', data: block.data }
  if (block.type !== 'thinking' || typeof block.thinking !== 'string') return undefined
  return thinkingDetail(block.thinking, typeof block.signature === 'string' ? block.signature : '')
}

/** An empty signature is none. */
export function thinkingDetail(text: string, signature: string): ReasoningDetail {
  return { type: 'reasoning.text', text, ...(signature !== '' && { signature }) }
}

/** The readable reasoning of the details; undefined when there is none. */
export function reasoningText(details: readonly ReasoningDetail[]): string | undefined {
  const text = details.map((detail) => detail.text ?? '').join('')
  return text === '' ? undefined : text
}
