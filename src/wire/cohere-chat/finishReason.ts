import type { FinishReason } from '../../core/chat/response.ts'

/** Undefined for `ERROR`, `TIMEOUT` and what is unknown: such an answer is a failure in a 200. */
export function decodeFinishReason(reason: string): FinishReason | undefined {
  switch (reason) {
    case 'COMPLETE':
    case 'STOP_SEQUENCE':
      return 'stop'
    case 'MAX_TOKENS':
      return 'length'
    case 'TOOL_CALL':
      return 'tool_calls'
    default:
      return undefined
  }
}

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
