import { unreachable } from '../../core/assert.ts'
import type { Message } from '../../core/chat/request.ts'
import type { ModelFacts } from '../../core/modelFacts.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { encodeUserContent, withThinking } from '../chunkedContent.ts'
import { answerable } from '../lastTurn.ts'
import { withoutLegacyFunctions } from '../legacyFunctions.ts'
import { requireText } from '../messageParts.ts'
import { compact } from '../read.ts'
import { fitToolCallIds } from '../toolCallIds.ts'
import { functionCallsOf, plainToolCall } from '../toolCalls.ts'
import { thinkingOf } from './content.ts'
import { mistralId } from './toolCallId.ts'

/** Mistral wants an assistant between a tool's answer and the next user; empty ones it refuses. */
const GAP_TEXT = 'OK.'

export function encodeMessages(messages: readonly Message[], facts: ModelFacts): readonly Json[] {
  const encoded: JsonObject[] = []
  const fitted = fitToolCallIds(answerable(withoutLegacyFunctions(messages), facts), mistralId)
  for (const [index, message] of fitted.entries()) {
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
        tool_call_id: message.tool_call_id ?? '',
        name: message.name,
        content: requireText(message, path),
      })
    default:
      return unreachable(message.role)
  }
}

/** Undefined when the message says nothing: Mistral refuses it. */
function encodeAssistant(message: Message, path: string): JsonObject | undefined {
  const text = requireText(message, path) || (message.refusal ?? '')
  const thinking = thinkingOf(message, closedChunk)
  const toolCalls = functionCallsOf(message, path)
  if (text === '' && thinking.length === 0 && toolCalls.length === 0) return undefined
  return compact({
    role: 'assistant',
    content: withThinking(thinking, text),
    tool_calls: toolCalls.length === 0 ? undefined : toolCalls.map(plainToolCall),
  })
}

/** Unlike in answers, a thought is marked as closed, and never empty. */
function closedChunk(text: string, signature: string | undefined): JsonObject {
  return compact({ type: 'thinking', thinking: [{ type: 'text', text }], signature, closed: true })
}
