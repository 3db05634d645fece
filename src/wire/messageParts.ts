import type { ContentPart, ImagePart, Message, TextPart } from '../core/chat/request.ts'
import { UnsupportedField } from './wire.ts'

/** The parts of a message's content; a string is one text part, empty texts are nothing. */
export function partsOf(message: Message): readonly ContentPart[] {
  const { content } = message
  const parts = typeof content === 'string' ? [textPart(content)] : (content ?? [])
  return parts.filter((part) => !(isTextPart(part) && part.text === ''))
}

/**
 * Whether a part is white space alone. Claude's API and Bedrock refuse it: anthropics/claude-code#23440,
 * OpenHands/OpenHands#5339.
 */
export function isBlank(part: ContentPart): boolean {
  return isTextPart(part) && part.text.trim() === ''
}

/**
 * Parts with their positions, without those that are white space alone, for providers that refuse them: it goes to the text
 * beside it.
 */
export function partsWithWords(
  parts: readonly ContentPart[],
): readonly (readonly [part: ContentPart, position: number])[] {
  const kept: (readonly [ContentPart, number])[] = []
  let before = ''
  for (const [position, part] of parts.entries()) {
    const [last, lastPosition] = kept.at(-1) ?? []
    if (!isTextPart(part)) {
      kept.push([part, position])
      before = ''
    } else if (!isBlank(part)) {
      kept.push([before === '' ? part : { ...part, text: before + part.text }, position])
      before = ''
    } else if (last && isTextPart(last) && lastPosition !== undefined) {
      kept[kept.length - 1] = [{ ...last, text: last.text + part.text }, lastPosition]
    } else {
      before += part.text
    }
  }
  return kept
}

/** The same, each part with its place in the request. */
export function placedParts(
  message: Message,
  param: string,
): readonly (readonly [part: ContentPart, place: string])[] {
  if (typeof message.content === 'string') return partsOf(message).map((part) => [part, `${param}.content`])
  const saying = new Set(partsOf(message))
  return (message.content ?? []).flatMap((part, i) =>
    saying.has(part) ? [[part, `${param}.content[${i}]`] as const] : [],
  )
}

/** What an answer said: its content, or the refusal in place of one. */
export function saidIn(message: Message): string | readonly ContentPart[] {
  return (partsOf(message).length > 0 ? message.content : message.refusal) ?? ''
}

/** The text of a message that can hold nothing else; undefined when it holds something else. */
export function textOf(message: Message): string | undefined {
  const texts = partsOf(message).map(textOfPart)
  return texts.every((text) => text !== undefined) ? texts.join('') : undefined
}

/** The text of a message, for a place that takes nothing else. Throws `UnsupportedField`. */
export function requireText(message: Message, param: string): string {
  const text = textOf(message)
  if (text === undefined) throw textOnly(message.content ?? '', `${param}.content`)
  return text
}

/** The refusal of content that holds something else than text. */
export function textOnly(content: string | readonly ContentPart[], param: string): UnsupportedField {
  const other = typeof content === 'string' ? -1 : content.findIndex((part) => textOfPart(part) === undefined)
  const part = other === -1 ? undefined : `${param}[${other}]`
  return new UnsupportedField(param, 'This model takes only text here.', part)
}

function textOfPart(part: ContentPart): string | undefined {
  if (isTextPart(part)) return part.text
  return part.type === 'refusal' && typeof part.refusal === 'string' ? part.refusal : undefined
}

/** The text of a single part that is nothing but text: what most callers mean by it. */
export function soleText(parts: readonly ContentPart[]): string | undefined {
  const [part, second] = parts
  if (part === undefined || second !== undefined || part.cache_control !== undefined) return undefined
  return isTextPart(part) ? part.text : undefined
}

export function textPart(text: string): TextPart {
  return { type: 'text', text }
}

export function isTextPart(part: ContentPart): part is TextPart {
  return part.type === 'text' && typeof part.text === 'string'
}

export function isImagePart(part: ContentPart): part is ImagePart {
  const image = part.image_url
  return part.type === 'image_url' && typeof image === 'object' && image !== null && 'url' in image
}
