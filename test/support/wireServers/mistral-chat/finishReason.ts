import type { FinishReason } from '../../../../src/core/chat/response.ts'

export function encodeFinishReason(reason: FinishReason): string {
  return reason === 'function_call' ? 'tool_calls' : reason
}
