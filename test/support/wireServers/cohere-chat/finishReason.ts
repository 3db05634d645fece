import type { FinishReason } from '../../../../src/core/answer/wholeAnswer.ts'

/** Cohere has no word for filtered content: such an answer is complete as far as it goes. */
export function encodeFinishReason(reason: FinishReason): string {
  switch (reason) {
    case 'length':
      return 'MAX_TOKENS'
    case 'tool_calls':
    case 'function_call':
      return 'TOOL_CALL'
    default:
      return 'COMPLETE'
  }
}
