import { unreachable } from '../../core/assert.ts'
import type { ContentPart, Message } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isImagePart, isTextPart, partsOf, textOf } from '../messageParts.ts'
import { compact } from '../read.ts'
import { UnsupportedField } from '../wire.ts'

export function encodeMessages(messages: readonly Message[]): JsonObject[] {
  const encoded = messages.map((message, index) => encodeMessage(message, `messages[${index}]`))
  return encoded.filter((message) => message !== undefined)
}

function encodeMessage(message: Message, path: string): JsonObject | undefined {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: requireText(message, path) }
    case 'user':
      return { role: 'user', content: encodeUserContent(message, path) }
    case 'assistant':
      return encodeAssistant(message, path)
    case 'tool':
    case 'function':
      return {
        role: 'tool',
        tool_call_id: message.tool_call_id ?? '',
        content: requireText(message, path),
      }
    default:
      return unreachable(message.role)
  }
}

function encodeUserContent(message: Message, path: string): Json {
  if (typeof message.content === 'string') return message.content
  return partsOf(message).map((part, index) => encodePart(part, `${path}.content[${index}]`))
}

function encodePart(part: ContentPart, path: string): JsonObject {
  if (isTextPart(part)) return { type: 'text', text: part.text }
  if (isImagePart(part)) {
    const { url, detail } = part.image_url
    return { type: 'image_url', image_url: compact({ url, detail }) }
  }
  throw new UnsupportedField(`${path}.type`, `This model does not take content of type ${part.type}.`)
}

/**
 * What an assistant said before its tool calls is Cohere's `tool_plan`. Undefined when the message says
 * nothing at all.
 */
function encodeAssistant(message: Message, path: string): JsonObject | undefined {
  const text = requireText(message, path) || (message.refusal ?? '')
  const thinking = message.reasoning_content
    ? [{ type: 'thinking', thinking: message.reasoning_content }]
    : []
  const calls = message.tool_calls ?? []
  if (text === '' && thinking.length === 0 && calls.length === 0) return undefined
  if (calls.length === 0) {
    const content =
      thinking.length === 0 ? text : [...thinking, ...(text === '' ? [] : [{ type: 'text', text }])]
    return { role: 'assistant', content }
  }
  return compact({
    role: 'assistant',
    content: thinking.length === 0 ? undefined : thinking,
    tool_plan: text === '' ? undefined : text,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.function.name, arguments: call.function.arguments },
    })),
  })
}

function requireText(message: Message, path: string): string {
  const text = textOf(message)
  if (text === undefined) throw new UnsupportedField(`${path}.content`, 'This model takes only text here.')
  return text
}
