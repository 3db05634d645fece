import type { AssistantMessage, ChatResponse } from '../../core/chat/response.ts'
import type { Refusal } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { compact } from '../read.ts'
import type { Envelope } from '../wire.ts'
import { toCitation } from './citations.ts'
import { encodeFinishReason } from './finishReason.ts'
import { fromLogprobs } from './logprobs.ts'

/** Writes a whole answer, which holds one choice: the first. */
export function encodeResponse(response: ChatResponse, envelope: Envelope): JsonObject {
  const choice = response.choices[0]
  const logprobs = fromLogprobs(choice?.logprobs)
  return compact({
    id: envelope.id,
    finish_reason: encodeFinishReason(choice?.finishReason ?? 'stop'),
    message: choice ? encodeMessage(choice.message) : { role: 'assistant', content: [] },
    usage: response.usage === undefined ? undefined : encodeUsage(response.usage),
    logprobs: logprobs.length === 0 ? undefined : logprobs,
  })
}

export function encodeError(refusal: Refusal): JsonObject {
  return { message: refusal.message }
}

/** Billed units only where no cached token would be lost: they cannot tell them apart. */
export function encodeUsage(usage: Usage): JsonObject {
  const counts = { input_tokens: usage.promptTokens, output_tokens: usage.completionTokens }
  return usage.cachedTokens === 0
    ? { billed_units: counts, tokens: counts }
    : { tokens: counts, cached_tokens: usage.cachedTokens }
}

function encodeMessage(message: AssistantMessage): JsonObject {
  // A refusal has no place of its own.
  const text = message.content || (message.refusal ?? '')
  const calls = message.tool_calls ?? []
  const thinking = message.reasoning_content
    ? [{ type: 'thinking', thinking: message.reasoning_content }]
    : []
  const spoken = text === '' || calls.length > 0 ? [] : [{ type: 'text', text }]
  const citations = (message.annotations ?? [])
    .map((annotation) => toCitation(annotation, text))
    .filter((citation) => citation !== undefined)
  return compact({
    role: 'assistant',
    content: [...thinking, ...spoken],
    tool_plan: calls.length > 0 && text !== '' ? text : undefined,
    tool_calls:
      calls.length === 0
        ? undefined
        : calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.function.name, arguments: call.function.arguments },
          })),
    citations: citations.length === 0 ? undefined : citations,
  })
}
