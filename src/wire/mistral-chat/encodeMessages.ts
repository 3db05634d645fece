import type { Message } from '../../core/chat/request.ts'
import type { ModelFacts } from '../../core/modelFacts.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { encodeTurn, withThinking } from '../chunkedContent.ts'
import { answerable } from '../lastTurn.ts'
import { withoutLegacyFunctions } from '../legacyFunctions.ts'
import { requireText } from '../messageParts.ts'
import { compact } from '../read.ts'
import { fitToolCallIds } from '../toolCallIds.ts'
import { functionCallsOf, plainToolCall } from '../toolCalls.ts'
import { thinkingOf } from './content.ts'
import { mistralId } from './toolCallId.ts'

/** Empty ones are refused. */
const GAP_TEXT = 'OK.'

/**
 * Instructions follow the user or each other; those behind the model or a tool are moved to the top. An assistant is
 * between a tool's result and the next user, where the model needs one. Source: `_validate_message_order` of
 * https://github.com/mistralai/mistral-common; that Mistral refuses the others is reported in swarmauri/swarmauri-sdk#162
 * and datapizza-labs/datapizza-ai#98.
 */
export function encodeMessages(messages: readonly Message[], facts: ModelFacts): readonly Json[] {
  const top: JsonObject[] = []
  const turns: JsonObject[] = []
  const fitted = fitToolCallIds(answerable(withoutLegacyFunctions(messages), facts), mistralId)
  for (const [index, message] of fitted.entries()) {
    const next = encodeTurn(message, `messages[${index}]`, encodeAssistant, message.name)
    if (next === undefined) continue
    const { role: before } = turns.at(-1) ?? {}
    if (next.role === 'system' && (before === undefined || before === 'assistant' || before === 'tool')) {
      top.push(next)
      continue
    }
    if (next.role === 'user' && before === 'tool' && facts.userAfterTool !== true) {
      turns.push({ role: 'assistant', content: GAP_TEXT })
    }
    turns.push(next)
  }
  const last = turns.at(-1)
  // An answer that is begun is to be continued, not answered; calls are not begun.
  if (last?.role === 'assistant' && last.tool_calls === undefined)
    turns[turns.length - 1] = { ...last, prefix: true }
  return [...top, ...turns]
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
