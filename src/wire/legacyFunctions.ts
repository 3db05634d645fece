import type { Message } from '../core/chat/request.ts'
import { isJsonObject } from '../core/json.ts'
import { readText } from './read.ts'

/**
 * Rewrites the deprecated `function_call` of assistants and the `function` role to tool calls and their
 * results, which is all that other formats know. A result answers the latest call before it.
 */
export function withoutLegacyFunctions(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message) => message.role === 'function' || message.function_call)) return messages
  let calls = 0
  return messages.map((message) => {
    if (message.role === 'function') {
      return { ...message, role: 'tool', tool_call_id: functionCallId(calls - 1) }
    }
    const { function_call: call, ...rest } = message
    if (!isJsonObject(call)) return message
    const id = functionCallId(calls++)
    const { name, arguments: text } = call
    const toolCall = {
      id,
      type: 'function' as const,
      function: {
        name: readText(name) ?? '',
        arguments: typeof text === 'string' ? text : '{}',
      },
    }
    return { ...rest, role: message.role, tool_calls: [...(message.tool_calls ?? []), toolCall] }
  })
}

function functionCallId(ordinal: number): string {
  return `function_${Math.max(0, ordinal)}`
}
