import { unreachable } from '../../core/assert.ts'
import type { ContentPart, Message } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { withoutLegacyFunctions } from '../legacyFunctions.ts'
import { isImagePart, isTextPart, partsOf, textOf } from '../messageParts.ts'
import { compact } from '../read.ts'
import { UnsupportedField } from '../wire.ts'
import { toToolCallId } from './toolCallId.ts'

/** Mistral wants an assistant between a tool's answer and the next user; empty ones it refuses. */
const GAP_TEXT = 'OK.'

export function encodeMessages(messages: readonly Message[]): readonly Json[] {
  const encoded: JsonObject[] = []
  for (const [index, message] of withoutLegacyFunctions(messages).entries()) {
    const next = encodeMessage(message, `messages[${index}]`)
    if (next === undefined) continue
    if (next['role'] === 'user' && encoded.at(-1)?.['role'] === 'tool') {
      encoded.push({ role: 'assistant', content: GAP_TEXT })
    }
    encoded.push(next)
  }
  const last = encoded.at(-1)
  // An answer that is begun is to be continued, not answered.
  if (last?.['role'] === 'assistant') encoded[encoded.length - 1] = { ...last, prefix: true }
  return encoded
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
      return compact({
        role: 'tool',
        tool_call_id: toToolCallId(message.tool_call_id ?? ''),
        name: message.name,
        content: requireText(message, path),
      })
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

/** Undefined when the message says nothing: Mistral refuses it. */
function encodeAssistant(message: Message, path: string): JsonObject | undefined {
  const text = requireText(message, path) || (message.refusal ?? '')
  const thinking = encodeThinking(message)
  const toolCalls = message.tool_calls ?? []
  if (text === '' && thinking.length === 0 && toolCalls.length === 0) return undefined
  const content =
    thinking.length === 0 ? text : [...thinking, ...(text === '' ? [] : [{ type: 'text', text }])]
  return compact({
    role: 'assistant',
    content,
    tool_calls:
      toolCalls.length === 0
        ? undefined
        : toolCalls.map((call) => ({
            id: toToolCallId(call.id),
            type: 'function',
            function: { name: call.function.name, arguments: call.function.arguments },
          })),
  })
}

/** Signed reasoning blocks as they came, or else the plain reasoning text. */
function encodeThinking(message: Message): JsonObject[] {
  const signed = (message.reasoning_details ?? []).filter((detail) => detail.type === 'reasoning.text')
  if (signed.length > 0) return signed.map((detail) => thinkingChunk(detail.text ?? '', detail.signature))
  return message.reasoning_content ? [thinkingChunk(message.reasoning_content, undefined)] : []
}

function thinkingChunk(text: string, signature: string | undefined): JsonObject {
  return compact({ type: 'thinking', thinking: [{ type: 'text', text }], signature, closed: true })
}

function requireText(message: Message, path: string): string {
  const text = textOf(message)
  if (text === undefined) throw new UnsupportedField(`${path}.content`, 'This model takes only text here.')
  return text
}
