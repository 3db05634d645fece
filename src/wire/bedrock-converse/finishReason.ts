import type { FinishReason } from '../../core/chat/response.ts'

/** Whether the model has failed, and not its provider. */
export function isMalformed(reason: string): boolean {
  return reason === 'malformed_model_output' || reason === 'malformed_tool_use'
}

/**
 * What a Converse stop reason means; undefined for the malformed ones, which are failures of the model.
 * @param answered whether there was any text or call: an unknown reason is then a plain stop
 */
export function decodeFinishReason(reason: string, answered: boolean): FinishReason | undefined {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop'
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'tool_use':
      return 'tool_calls'
    case 'content_filtered':
    case 'guardrail_intervened':
      return 'content_filter'
    default:
      return answered && !isMalformed(reason) ? 'stop' : undefined
  }
}
