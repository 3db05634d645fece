import type { AssistantMessage, WholeAnswer } from '../../../../src/core/answer/wholeAnswer.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import { compact } from '../../../../src/wire/read.ts'
import { plainToolCall } from '../../../../src/wire/toolCalls.ts'
import type { Envelope } from '../../../../src/wire/wire.ts'
import { thinkingOf } from '../../../../src/wire/cohere-chat/content.ts'
import { encodeCitation } from './citations.ts'
import { encodeFinishReason } from './finishReason.ts'
import { encodeLogprobs } from './logprobs.ts'
import { encodeUsage } from './usage.ts'

/** Writes a whole answer, which holds one choice: the first. */
export function encodeResponse(response: WholeAnswer, envelope: Envelope): JsonObject {
  const choice = response.choices[0]
  const logprobs = encodeLogprobs(choice?.logprobs)
  return compact({
    id: envelope.id,
    finish_reason: encodeFinishReason(choice?.finishReason ?? 'stop'),
    message: choice ? encodeMessage(choice.message) : { role: 'assistant', content: [] },
    usage: response.usage === undefined ? undefined : encodeUsage(response.usage),
    logprobs: logprobs.length === 0 ? undefined : logprobs,
  })
}

function encodeMessage(message: AssistantMessage): JsonObject {
  // A refusal has no place of its own.
  const text = message.content || (message.refusal ?? '')
  const calls = message.tool_calls ?? []
  const spoken = text === '' || calls.length > 0 ? [] : [{ type: 'text', text }]
  const citations = (message.annotations ?? [])
    .map((annotation) => encodeCitation(annotation, text))
    .filter((citation) => citation !== undefined)
  return compact({
    role: 'assistant',
    content: [...thinkingOf(message), ...spoken],
    tool_plan: calls.length > 0 && text !== '' ? text : undefined,
    tool_calls: calls.length === 0 ? undefined : calls.map(plainToolCall),
    citations: citations.length === 0 ? undefined : citations,
  })
}
