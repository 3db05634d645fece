import type { Message, ReasoningDetail } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isSignedThought } from '../droppedMessageFields.ts'
import { readText } from '../read.ts'
import { isOfFormat, THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'

const format = THOUGHT_FORMATS.anthropic

/** The thinking blocks of an earlier answer: only signed ones are taken. */
export function encodeThinking(message: Message): JsonObject[] {
  return (message.reasoning_details ?? [])
    .filter(isOwnThought)
    .map(({ type, text = '', signature = '', data = '' }) =>
      type === 'reasoning.encrypted'
        ? { type: 'redacted_thinking', data }
        : { type: 'thinking', thinking: text, signature },
    )
}

/** A signed thought of Claude's, by all that is known of it. */
export function isOwnThought(detail: ReasoningDetail): boolean {
  return isSignedThought(detail) && isOfFormat(detail, format)
}

/** What a turn's thinking blocks say: as text for those who read, signed for those who must replay. */
export interface Reasoning {
  readonly reasoning_content?: string
  readonly reasoning_details?: readonly ReasoningDetail[]
}

/** Blocks of other types are passed over. */
export function decodeThinking(blocks: readonly JsonObject[]): Reasoning {
  const details = blocks.flatMap(thinkingDetails)
  const text = blocks
    .map((block) => (block.type === 'thinking' ? (readText(block.thinking) ?? '') : ''))
    .join('')
  return {
    ...(text !== '' && { reasoning_content: text }),
    ...(details.length > 0 && { reasoning_details: details }),
  }
}

/** The detail of a block, if it has one: unsigned thinking cannot be replayed. */
export function thinkingDetails(block: JsonObject): ReasoningDetail[] {
  if (block.type === 'redacted_thinking' && typeof block.data === 'string') {
    const { secret: data, ...of } = readSecret(block.data)
    return [{ type: 'reasoning.encrypted', data, ...of }]
  }
  const given = readText(block.signature)
  if (block.type !== 'thinking' || given === undefined) return []
  const { secret: signature, ...of } = readSecret(given)
  return [{ type: 'reasoning.text', text: readText(block.thinking) ?? '', signature, ...of }]
}

/** Another format in front of a signature or of hidden thoughts. The format's own secrets are base64, which has no colon. */
const MARK = /^([a-z][a-z0-9-]*-v\d+):/

/** What a caller keeps and sends back, with the format that it belongs to where that is another one. */
export function markedSecret(detail: ReasoningDetail, secret = ''): string {
  return secret === '' || isOfFormat(detail, format) ? secret : `${detail.format}:${secret}`
}

/** Whether Anthropic has signed a block of thinking, by all that is known. */
export function isOwnSecret(secret: Json | undefined): boolean {
  return typeof secret === 'string' && secret !== '' && !MARK.test(secret)
}

function readSecret(marked: string): { readonly secret: string; readonly format: string } {
  const [mark = '', other] = MARK.exec(marked) ?? []
  return { secret: marked.slice(mark.length), format: other ?? format }
}
