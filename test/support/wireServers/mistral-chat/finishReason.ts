import type { FinishReason } from '../../../../src/core/answer/wholeAnswer.ts'

export function encodeFinishReason(reason: FinishReason): string {
  return reason === 'function_call' ? 'tool_calls' : reason
}
