import type { AssistantMessage, WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import type { JsonObject } from '../../core/json.ts'
import { functionCallOf } from '../customTools.ts'
import { readableArguments } from '../toolCalls.ts'
import type { Envelope } from '../wire.ts'
import { encodeCitation } from './citations.ts'
import { encodeStopDetails, encodeFinishReason } from './finishReason.ts'
import { markedSecret } from './reasoning.ts'
import { encodeMessageUsage } from './usage.ts'

/** The first choice as a Message: the format has no others. */
export function encodeResponse(response: WholeAnswer, envelope: Envelope): JsonObject {
  const choice = response.choices[0]
  const refusal = choice?.message.refusal
  const stopReason = encodeFinishReason(choice?.finishReason ?? 'stop', Boolean(refusal), choice?.finerReason)
  return {
    ...messageHead(envelope),
    content: choice ? encodeBlocks(choice.message) : [],
    stop_reason: stopReason,
    stop_details: encodeStopDetails(stopReason, refusal),
    usage: encodeMessageUsage(response.usage),
  }
}

/** A message without content, as a stream begins. */
export function messageHead(envelope: Envelope): JsonObject {
  return {
    id: envelope.id,
    type: 'message',
    role: 'assistant',
    model: envelope.model,
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
  }
}

function encodeBlocks(message: AssistantMessage): JsonObject[] {
  return [...encodeReasoning(message), ...encodeText(message), ...encodeToolCalls(message)]
}

/** Reasoning without a signature is shown too; it is not taken back. */
function encodeReasoning(message: AssistantMessage): JsonObject[] {
  const blocks = (message.reasoning_details ?? []).flatMap((detail): JsonObject[] => {
    if (detail.id !== undefined) return []
    if (detail.type === 'reasoning.encrypted')
      return [{ type: 'redacted_thinking', data: markedSecret(detail, detail.data) }]
    if (detail.type !== 'reasoning.text') return []
    return [
      { type: 'thinking', thinking: detail.text ?? '', signature: markedSecret(detail, detail.signature) },
    ]
  })
  const shown = blocks.some((block) => block.type === 'thinking')
  if (shown || !message.reasoning_content) return blocks
  return [{ type: 'thinking', thinking: message.reasoning_content, signature: '' }, ...blocks]
}

function encodeText(message: AssistantMessage): JsonObject[] {
  const { content } = message
  if (!content) return []
  const citations = (message.annotations ?? []).flatMap((annotation): JsonObject[] => {
    const citation = encodeCitation(annotation, content)
    return citation ? [citation] : []
  })
  return [{ type: 'text', text: content, ...(citations.length > 0 && { citations }) }]
}

function encodeToolCalls(message: AssistantMessage): JsonObject[] {
  return (message.tool_calls ?? []).map(functionCallOf).map((call) => ({
    type: 'tool_use',
    id: call.id,
    name: call.function.name,
    input: readableArguments(call),
    caller: { type: 'direct' },
  }))
}
