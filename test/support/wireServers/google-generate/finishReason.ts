import { unreachable } from '../../../../src/core/assert.ts'
import type { FinishReason } from '../../../../src/core/answer/wholeAnswer.ts'

export function encodeFinishReason(reason: FinishReason): string {
  switch (reason) {
    case 'stop':
    case 'tool_calls':
    case 'function_call':
      return 'STOP'
    case 'length':
      return 'MAX_TOKENS'
    case 'content_filter':
      return 'SAFETY'
    default:
      return unreachable(reason)
  }
}
