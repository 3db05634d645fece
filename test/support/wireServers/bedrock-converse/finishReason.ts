import type { FinishReason } from '../../../../src/core/answer/wholeAnswer.ts'

export function encodeFinishReason(reason: FinishReason): string {
  switch (reason) {
    case 'stop':
      return 'end_turn'
    case 'length':
      return 'max_tokens'
    case 'content_filter':
      return 'content_filtered'
    default:
      return 'tool_use'
  }
}
