import { unreachable } from '../../core/assert.ts'
import type { FinishReason } from '../../core/chat/response.ts'
import { UpstreamError } from '../../core/failure.ts'

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/**
 * Reads a stop reason. One that is not in the documentation still ends an answer that has content;
 * throws `UpstreamError` where there is no answer to be seen.
 */
export function decodeFinishReason(reason: string, hasContent: boolean): FinishReason {
  const known = Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : undefined
  if (known) return known
  if (hasContent) return 'stop'
  throw new UpstreamError({ kind: 'invalid_answer', detail: `unknown stop reason ${reason.slice(0, 100)}` })
}

export function encodeFinishReason(reason: FinishReason, refused: boolean): string {
  if (refused) return 'refusal'
  switch (reason) {
    case 'stop':
      return 'end_turn'
    case 'length':
      return 'max_tokens'
    case 'tool_calls':
    case 'function_call':
      return 'tool_use'
    case 'content_filter':
      return 'refusal'
    default:
      return unreachable(reason)
  }
}

/** Why an answer was refused, for the caller of this format. */
export function encodeStopDetails(stopReason: string, explanation: string | null | undefined) {
  return stopReason === 'refusal'
    ? { type: 'refusal', category: null, explanation: explanation ?? null }
    : null
}
