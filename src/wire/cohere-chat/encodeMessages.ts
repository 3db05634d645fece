import { unreachable } from '../../core/assert.ts'
import type { Message } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { encodeUserContent, withThinking } from '../chunkedContent.ts'
import { partsOf, requireText } from '../messageParts.ts'
import { compact } from '../read.ts'
import { functionCallsOf, plainToolCall } from '../toolCalls.ts'
import { thinkingOf } from './content.ts'

export function encodeMessages(messages: readonly Message[]): JsonObject[] {
  const encoded = messages.map((message, index) => encodeMessage(message, `messages[${index}]`))
  return encoded.filter((message) => message !== undefined)
}

/** Undefined when the message says nothing. */
function encodeMessage(message: Message, path: string): JsonObject | undefined {
  if (
    (message.role === 'user' || message.role === 'system' || message.role === 'developer') &&
    partsOf(message).length === 0
  )
    return undefined
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

/**
 * What an assistant said before its tool calls is Cohere's `tool_plan`. Undefined when the message says
 * nothing at all.
 */
function encodeAssistant(message: Message, path: string): JsonObject | undefined {
  const text = requireText(message, path) || (message.refusal ?? '')
  const thinking = thinkingOf(message)
  const calls = functionCallsOf(message, path)
  if (text === '' && thinking.length === 0 && calls.length === 0) return undefined
  if (calls.length === 0) return { role: 'assistant', content: withThinking(thinking, text) }
  return compact({
    role: 'assistant',
    content: thinking.length === 0 ? undefined : thinking,
    tool_plan: text === '' ? undefined : text,
    tool_calls: calls.map(plainToolCall),
  })
}
