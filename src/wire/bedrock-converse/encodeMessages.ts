import { unreachable } from '../../core/assert.ts'
import type { Message, ToolCall } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { isBlank, partsWithWords, requireText, textPart } from '../messageParts.ts'
import { compact } from '../read.ts'
import { functionCallsOf, parseArguments } from '../toolCalls.ts'
import { encodePart } from './parts.ts'
import { encodeThinking } from './reasoning.ts'

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
      if (text.trim() !== '') system.push({ text })
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
      return encodeParts(message, path)
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

/** Converse refuses text without a word. */
function encodeParts({ content }: Message, path: string): JsonObject[] {
  if (typeof content === 'string')
    return isBlank(textPart(content)) ? [] : [encodePart(textPart(content), path)]
  return partsWithWords(content ?? []).map(([part, i]) => encodePart(part, `${path}.content[${i}]`))
}

function encodeAssistant(message: Message, path: string): JsonObject[] {
  const text = requireText(message, path) || (message.refusal ?? '')
  return [
    ...encodeThinking(message),
    ...(text.trim() === '' ? [] : [{ text }]),
    ...functionCallsOf(message, path).map((call, index) =>
      encodeToolUse(call, `${path}.tool_calls[${index}]`),
    ),
  ]
}

function encodeToolUse(call: ToolCall, path: string): JsonObject {
  const { id, function: called } = call
  return { toolUse: { toolUseId: id, name: called.name, input: parseArguments(call, path) } }
}

function encodeToolResult(message: Message, path: string): JsonObject {
  const content = encodeParts(message, path)
  const status = message.is_error === true ? 'error' : undefined
  return { toolResult: compact({ toolUseId: message.tool_call_id ?? '', content, status }) }
}
