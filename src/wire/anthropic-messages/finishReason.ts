import { unreachable } from '../../core/assert.ts'
import type { FinerReason, FinishReason } from '../../core/answer/wholeAnswer.ts'

export function encodeFinishReason(reason: FinishReason, refused: boolean, finer?: FinerReason): string {
  if (refused) return 'refusal'
  if (finer !== undefined) return finer
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
