import type { ContentPart, Message } from '../core/chat/request.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { isImagePart, isTextPart, placedParts } from './messageParts.ts'
import { compact } from './read.ts'
import { UnsupportedField } from './wire.ts'

/** A user's content for formats that took OpenAI's text and image parts. Throws `UnsupportedField`. */
export function encodeUserContent(message: Message, param: string): Json {
  if (typeof message.content === 'string') return message.content
  return placedParts(message, param).map(([part, place]) => encodePart(part, place))
}

function encodePart(part: ContentPart, param: string): JsonObject {
  if (isTextPart(part)) return { type: 'text', text: part.text }
  if (isImagePart(part)) {
    const { url, detail } = part.image_url
    return { type: 'image_url', image_url: compact({ url, detail }) }
  }
  throw new UnsupportedField(`${param}.type`, `This model does not take content of type ${part.type}.`)
}

/** An assistant's content for formats that put thoughts into it: chunks only where there are thoughts. */
export function withThinking(thinking: readonly JsonObject[], text: string): Json {
  if (thinking.length === 0) return text
  return text === '' ? thinking : [...thinking, { type: 'text', text }]
}
