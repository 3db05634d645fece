import type { Message, ReasoningDetail } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { isSignedThought } from '../droppedMessageFields.ts'
import { compact, readObject, readText } from '../read.ts'
import { isOfFormat, THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'

const format = THOUGHT_FORMATS.anthropic

/** Only what is signed or encrypted goes back: models refuse thoughts that they cannot recognise as theirs. */
export function encodeThinking(message: Message): JsonObject[] {
  return (message.reasoning_details ?? []).filter(isOwnThought).map(({ type, text, signature, data }) => ({
    reasoningContent:
      type === 'reasoning.text'
        ? { reasoningText: compact({ text: text ?? '', signature }) }
        : compact({ redactedContent: data }),
  }))
}

/** A signed thought of Claude's, by all that is known of it: other models there sign none. */
export function isOwnThought(detail: ReasoningDetail): boolean {
  return isSignedThought(detail) && isOfFormat(detail, format)
}

/** What a `reasoningContent` says to those who read. */
export function reasoningText(reasoningContent: JsonObject): string {
  return readText(readObject(reasoningContent.reasoningText)?.text) ?? ''
}

/** A signed or encrypted block, to be replayed unchanged; thoughts without a signature need no replay. */
export function reasoningDetails(reasoningContent: JsonObject): ReasoningDetail[] {
  const thought = readObject(reasoningContent.reasoningText)
  const signature = readText(thought?.signature)
  if (thought !== undefined && signature !== undefined) {
    return [{ type: 'reasoning.text', text: readText(thought.text) ?? '', signature, format }]
  }
  const data = readText(reasoningContent.redactedContent)
  return data === undefined ? [] : [{ type: 'reasoning.encrypted', data, format }]
}
