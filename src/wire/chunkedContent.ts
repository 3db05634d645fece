import { unreachable } from '../core/assert.ts'
import type { ContentPart, Message } from '../core/chat/request.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { isImagePart, isTextPart, partsOf, placedParts, requireText } from './messageParts.ts'
import { compact } from './read.ts'
import { UnsupportedField } from './wire.ts'

/**
 * A message for formats that took OpenAI's roles; undefined when it says nothing. Throws `UnsupportedField`.
 * @param tool the name beside a tool's result
 */
export function encodeTurn(
  message: Message,
  param: string,
  encodeAssistant: (message: Message, param: string) => JsonObject | undefined,
  tool?: string,
): JsonObject | undefined {
  const { role } = message
  switch (role) {
    case 'system':
    case 'developer':
      return isSilent(message) ? undefined : { role: 'system', content: requireText(message, param) }
    case 'user':
      return isSilent(message) ? undefined : { role, content: encodeUserContent(message, param) }
    case 'assistant':
      return encodeAssistant(message, param)
    case 'tool':
    case 'function': {
      const { tool_call_id = '' } = message
      return compact({ role: 'tool', tool_call_id, name: tool, content: requireText(message, param) })
    }
    default:
      return unreachable(role)
  }
}

function isSilent(message: Message): boolean {
  return partsOf(message).length === 0
}

/** A user's content for formats that took OpenAI's text and image parts. Throws `UnsupportedField`. */
function encodeUserContent(message: Message, param: string): Json {
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
