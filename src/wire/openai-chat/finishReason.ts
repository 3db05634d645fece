import type { UpstreamFailure } from '../../core/failure.ts'
import type { FinishReason } from '../../core/chat/response.ts'

/** What a choice has brought forth so far: decides what an odd finish reason can mean. */
export interface Made {
  text: boolean
  toolCalls: boolean
  /** The legacy `function_call`. */
  functionCall: boolean
}

export type Finish =
  | { readonly ok: true; readonly reason: FinishReason }
  | { readonly ok: false; readonly failure: UpstreamFailure }

/** Reads `finish_reason` as OpenAI and its many imitators write it. */
export function decodeFinishReason(value: unknown, made: Made): Finish {
  switch (value) {
    case 'stop':
    case 'length':
    case 'tool_calls':
    case 'content_filter':
      return { ok: true, reason: value }
    case 'function_call':
      return { ok: true, reason: made.toolCalls && !made.functionCall ? 'tool_calls' : 'function_call' }
    case 'eos':
    case 'eos_token':
    case 'end_turn':
    case 'stop_sequence':
      return { ok: true, reason: 'stop' }
    case 'max_tokens':
    case 'model_length':
      return { ok: true, reason: 'length' }
    case 'tool_use':
    case 'tool_call':
      return { ok: true, reason: 'tool_calls' }
    case 'safety':
    case 'refusal':
    case 'content_filtered':
      return { ok: true, reason: 'content_filter' }
    case 'insufficient_system_resource':
      return failed('overloaded', value)
    case 'error':
    case 'abort':
    case 'aborted':
    case 'cancelled':
    case 'timeout':
    case 'network_error':
      return failed('server', value)
    default:
      return guessFinish(value, made)
  }
}

/** Whether an answer that ended so can lack its rest: the arguments of a call, too. */
export function isCut(reason: FinishReason): boolean {
  return reason === 'length' || reason === 'content_filter'
}

/** An unknown end of something is taken for its end; an unknown end of nothing is no answer. */
function guessFinish(value: unknown, made: Made): Finish {
  const isNothing = !made.toolCalls && !made.functionCall && !made.text
  if (!isNothing) return { ok: true, reason: unsaidEnd(made) }
  // Google's door for this format: `function_call_filter: MALFORMED_FUNCTION_CALL`.
  const isMalformed = typeof value === 'string' && /malformed|unexpected_tool_call/i.test(value)
  return failed(isMalformed ? 'malformed_output' : 'invalid_answer', value)
}

/** The end of an answer that is whole, where its provider does not say why it ended. */
function unsaidEnd(made: Made): FinishReason {
  if (made.toolCalls) return 'tool_calls'
  return made.functionCall ? 'function_call' : 'stop'
}

function failed(kind: UpstreamFailure['kind'], value: unknown): Finish {
  return { ok: false, failure: { kind, detail: `finish_reason ${JSON.stringify(value)}`.slice(0, 200) } }
}
