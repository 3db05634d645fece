import { unreachable } from '../../core/assert.ts'
import type { ContentPart, Message, ToolCall } from '../../core/chat/request.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../core/json.ts'
import { isSignedThought } from '../droppedMessageFields.ts'
import { isImagePart, isTextPart, partsOf, textOf } from '../messageParts.ts'
import { compact } from '../read.ts'
import { UnsupportedField } from '../wire.ts'
import { encodeDocument, encodeImage } from './media.ts'

/** Opens a conversation that has no user before its first assistant: Converse refuses it otherwise. */
const OPENING_TEXT = '.'

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: JsonObject[]
}

/** Splits off the system prompt and merges neighbours, because user and assistant must alternate. */
export function encodeMessages(messages: readonly Message[]): { system: JsonObject[]; turns: JsonObject[] } {
  const system: JsonObject[] = []
  const turns: Turn[] = []
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    if (message.role === 'system' || message.role === 'developer') {
      const text = requireText(message, path)
      if (text !== '') system.push({ text })
      continue
    }
    const content = encodeContent(message, path)
    if (content.length === 0) continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    else turns.push({ role, content })
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [{ text: OPENING_TEXT }] })
  return { system, turns: turns.map((turn) => ({ ...turn })) }
}

function encodeContent(message: Message, path: string): JsonObject[] {
  switch (message.role) {
    case 'user':
      return partsOf(message).map((part, index) => encodePart(part, `${path}.content[${index}]`))
    case 'assistant':
      return encodeAssistant(message, path)
    case 'tool':
    case 'function':
      return [encodeToolResult(message, path)]
    case 'system':
    case 'developer':
      return []
    default:
      return unreachable(message.role)
  }
}

function encodePart(part: ContentPart, path: string): JsonObject {
  if (isTextPart(part)) return { text: part.text }
  if (isImagePart(part)) return encodeImage(part, path)
  if (part.type === 'file') return encodeDocument(part, path)
  throw new UnsupportedField(`${path}.type`, `This model does not take content of type ${part.type}.`)
}

function encodeAssistant(message: Message, path: string): JsonObject[] {
  const text = requireText(message, path) || (message.refusal ?? '')
  return [
    ...encodeReasoning(message),
    ...(text === '' ? [] : [{ text }]),
    ...(message.tool_calls ?? []).map((call, index) => encodeToolUse(call, `${path}.tool_calls[${index}]`)),
  ]
}

/** Only what is signed or encrypted goes back: models refuse thoughts that they cannot recognise as theirs. */
function encodeReasoning(message: Message): JsonObject[] {
  return (message.reasoning_details ?? []).filter(isSignedThought).map(({ type, text, signature, data }) => ({
    reasoningContent:
      type === 'reasoning.text'
        ? { reasoningText: compact({ text: text ?? '', signature }) }
        : compact({ redactedContent: data }),
  }))
}

function encodeToolUse(call: ToolCall, path: string): JsonObject {
  const { name, arguments: text } = call.function
  const input = text.trim() === '' ? {} : parseJson(text)
  if (!isJsonObject(input)) {
    throw new UnsupportedField(
      `${path}.function.arguments`,
      'This model needs the arguments as a JSON object.',
    )
  }
  return { toolUse: { toolUseId: call.id, name, input } }
}

function encodeToolResult(message: Message, path: string): JsonObject {
  const content = partsOf(message).map((part, index) => encodePart(part, `${path}.content[${index}]`))
  const status = message.is_error === true ? 'error' : undefined
  return { toolResult: compact({ toolUseId: message.tool_call_id ?? '', content, status }) }
}

function requireText(message: Message, path: string): string {
  const text = textOf(message)
  if (text === undefined) throw new UnsupportedField(`${path}.content`, 'This model takes only text here.')
  return text
}
