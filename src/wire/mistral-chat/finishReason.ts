import type { FinishReason } from '../../core/chat/response.ts'
import type { Json } from '../../core/json.ts'

/** Undefined for what is no end of an answer: `error`, or none at all. */
export function decodeFinishReason(reason: Json | undefined): FinishReason | undefined {
  switch (reason) {
    case 'stop':
    case 'length':
    case 'tool_calls':
    case 'content_filter':
      return reason
    case 'model_length':
      return 'length'
    default:
      return undefined
  }
}
