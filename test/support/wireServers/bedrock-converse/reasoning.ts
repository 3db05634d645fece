import type { AssistantMessage } from '../../../../src/core/answer/wholeAnswer.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import { compact } from '../../../../src/wire/read.ts'

/** Thoughts are shown whether or not they are signed. */
export function encodeReasoning(message: AssistantMessage): JsonObject[] {
  const blocks: JsonObject[] = []
  for (const { type, id, text, signature, data } of message.reasoning_details ?? []) {
    // The signature of another provider's call.
    if (id !== undefined) continue
    if (type === 'reasoning.text')
      blocks.push({ reasoningContent: { reasoningText: compact({ text: text ?? '', signature }) } })
    if (type === 'reasoning.encrypted' && data !== undefined)
      blocks.push({ reasoningContent: { redactedContent: data } })
  }
  const told = (message.reasoning_details ?? []).some((detail) => detail.type === 'reasoning.text')
  if (!told && message.reasoning_content) {
    blocks.unshift({ reasoningContent: { reasoningText: { text: message.reasoning_content } } })
  }
  return blocks
}
