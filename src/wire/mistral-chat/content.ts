import type { Message, ReasoningDetail } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { readObjects, readText } from '../read.ts'
import { isOfFormat, THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'

export interface ReadContent {
  readonly text: string
  readonly reasoning: string
  readonly details: readonly ReasoningDetail[]
  /** The thoughts that no signature has closed yet. */
  readonly unsigned: string
}

/**
 * Reads content, which is a string or a list of chunks: text, thinking; references have no address to cite.
 * @param unsigned in a stream: thoughts of its earlier pieces, which the next signature closes too; in a
 *   whole answer, absent, a signature closes its own chunk only
 */
export function readContent(content: Json | undefined, unsigned?: string): ReadContent {
  const streamed = unsigned !== undefined
  let open = unsigned ?? ''
  if (typeof content === 'string') return { text: content, reasoning: '', details: [], unsigned: open }
  let text = ''
  let reasoning = ''
  const details: ReasoningDetail[] = []
  for (const chunk of readObjects(content)) {
    if (chunk.type === 'thinking') {
      const thought = thoughtOf(chunk.thinking)
      const signature = readText(chunk.signature)
      reasoning += thought
      open = streamed ? open + thought : thought
      if (signature !== undefined) {
        details.push({ type: 'reasoning.text', text: open, signature, format: THOUGHT_FORMATS.mistral })
        open = ''
      }
    } else {
      text += readText(chunk.text) ?? ''
    }
  }
  return { text, reasoning, details, unsigned: open }
}

function thoughtOf(thinking: Json | undefined): string {
  if (typeof thinking === 'string') return thinking
  let thought = ''
  for (const part of readObjects(thinking)) thought += readText(part.text) ?? ''
  return thought
}

/** A thought that says of no other model that it signed it. */
export function isOwnThought(detail: ReasoningDetail): boolean {
  return detail.type === 'reasoning.text' && isOfFormat(detail, THOUGHT_FORMATS.mistral)
}

/** Signed reasoning blocks as they came, or else the plain reasoning text. */
export function thinkingOf(
  message: Pick<Message, 'reasoning_content' | 'reasoning_details'>,
  write: (text: string, signature: string | undefined) => JsonObject,
): JsonObject[] {
  const signed = (message.reasoning_details ?? []).filter(isOwnThought)
  if (signed.length > 0) return signed.map((detail) => write(detail.text ?? '', detail.signature))
  return message.reasoning_content ? [write(message.reasoning_content, undefined)] : []
}
