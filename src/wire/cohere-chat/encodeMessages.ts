import type { Message } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { encodeTurn, withThinking } from '../chunkedContent.ts'
import { requireText } from '../messageParts.ts'
import { compact } from '../read.ts'
import { functionCallsOf, plainToolCall } from '../toolCalls.ts'
import { thinkingOf } from './content.ts'

export function encodeMessages(messages: readonly Message[]): JsonObject[] {
  const encoded = messages.map((message, index) => encodeTurn(message, `messages[${index}]`, encodeAssistant))
  return encoded.filter((message) => message !== undefined)
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
