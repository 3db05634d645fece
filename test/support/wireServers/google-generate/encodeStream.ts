import { unreachable } from '../../../../src/core/assert.ts'
import type { AnswerEvent, ToolCallDelta } from '../../../../src/core/answer/event.ts'
import type { ReasoningDetail, ToolCall } from '../../../../src/core/chat/request.ts'
import type { FinishReason } from '../../../../src/core/answer/wholeAnswer.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import type { Step } from '../../../../src/core/step.ts'
import type { Usage } from '../../../../src/core/usage.ts'
import { encodeSseJson } from '../../../../src/wire/sse.ts'
import type { Envelope } from '../../../../src/wire/wire.ts'
import { encodeLogprobs } from './logprobs.ts'
import { encodeUsage } from './usage.ts'
import { encodeCalls, encodeCandidate, encodeImages } from './encodeResponse.ts'
import { encodeFailure } from './encodeError.ts'

interface PendingCall {
  id: string
  name: string
  arguments: string
}

/** What of one choice waits for its end: calls go out whole. */
interface Pending {
  /** By their index, in the order they began. */
  readonly calls: Map<number, PendingCall>
  readonly details: ReasoningDetail[]
  finishReason: FinishReason | undefined
}

/** Writes partial responses. Finish reasons and usage wait for `end()`: the last frame has both. */
export function encodeStream(envelope: Envelope): Step<AnswerEvent, string> {
  const choices = new Map<number, Pending>()
  let failed = false
  let usage: Usage | undefined

  function write(event: AnswerEvent): string[] {
    switch (event.type) {
      case 'start':
        return []
      case 'delta':
        return writeDelta(event)
      case 'finish':
        pendingOf(event.index).finishReason = event.reason
        return []
      case 'usage':
        usage = event.usage
        return []
      case 'error':
        failed = true
        return [encodeSseJson(encodeFailure(event.failure))]
      default:
        return unreachable(event)
    }
  }

  function writeDelta({ index, delta, logprobs }: Extract<AnswerEvent, { type: 'delta' }>): string[] {
    const pending = pendingOf(index)
    for (const call of delta.tool_calls ?? []) addFragment(pending, call)
    pending.details.push(...(delta.reasoning_details ?? []))
    const text = delta.content || delta.refusal
    const parts = [
      ...(delta.reasoning_content ? [{ text: delta.reasoning_content, thought: true }] : []),
      ...(text ? [{ text }] : []),
      ...encodeImages(delta.images ?? [], pending.details),
    ]
    const logprobsResult = encodeLogprobs(logprobs)
    if (parts.length === 0 && !logprobsResult) return []
    return [partial([{ ...encodeCandidate(index, parts), ...(logprobsResult && { logprobsResult }) }])]
  }

  function pendingOf(index: number): Pending {
    const known = choices.get(index)
    if (known) return known
    const pending: Pending = { calls: new Map(), details: [], finishReason: undefined }
    choices.set(index, pending)
    return pending
  }

  function partial(candidates: readonly JsonObject[], more: JsonObject = {}): string {
    return encodeSseJson({ candidates, ...more, modelVersion: envelope.model, responseId: envelope.id })
  }

  function finish(): string[] {
    const candidates: JsonObject[] = []
    for (const [index, { calls, details, finishReason }] of choices) {
      // A cut answer gets no end.
      if (finishReason === undefined) return []
      const parts = encodeCalls([...calls.values()].map(toolCall), details)
      candidates.push(encodeCandidate(index, parts, finishReason))
    }
    if (candidates.length === 0) return []
    return [partial(candidates, usage ? { usageMetadata: encodeUsage(usage) } : {})]
  }

  return {
    push: (event) => (failed ? [] : write(event)),
    end: () => (failed ? [] : finish()),
  }
}

function addFragment(pending: Pending, { index, id, function: fragment }: ToolCallDelta): void {
  const call = pending.calls.get(index) ?? { id: '', name: '', arguments: '' }
  pending.calls.set(index, call)
  if (id !== undefined) call.id = id
  call.name += fragment?.name ?? ''
  call.arguments += fragment?.arguments ?? ''
}

function toolCall({ id, name, arguments: text }: PendingCall): ToolCall {
  return { id, type: 'function', function: { name, arguments: text } }
}
