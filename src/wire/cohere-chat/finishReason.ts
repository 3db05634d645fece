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
