import type { FinishReason } from '../../core/chat/response.ts'
import { type FailureKind, UpstreamError } from '../../core/failure.ts'
import { codeOf } from '../errorAnswer.ts'

/** What a candidate holds, which decides what its end means. */
export interface CandidateContent {
  readonly hasText: boolean
  readonly hasCalls: boolean
}

/** https://ai.google.dev/api/generate-content#FinishReason */
const FILTERED = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  // Vertex alone.
  'MODEL_ARMOR',
])
/** The model's own doing, which a prompt can bring about. */
const FAILED = new Set(['UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MISSING_THOUGHT_SIGNATURE'])

/** Throws `UpstreamError` where the model failed, or ended for no known reason without an answer. */
export function decodeFinishReason(reason: string, content: CandidateContent): FinishReason {
  if (FAILED.has(reason) || reason.startsWith('MALFORMED_')) throw failed('malformed_output', reason)
  if (FILTERED.has(reason) || reason.startsWith('IMAGE_')) return 'content_filter'
  if (reason === 'MAX_TOKENS' || reason === 'CONTINUATION') return 'length'
  // The format has no reason of its own for calls.
  if (content.hasCalls) return 'tool_calls'
  if (reason === 'STOP' || content.hasText) return 'stop'
  throw failed(reason === 'NO_IMAGE' ? 'malformed_output' : 'invalid_answer', reason)
}

function failed(kind: FailureKind, reason: string): UpstreamError {
  return new UpstreamError({
    kind,
    ...codeOf([reason]),
    detail: `finish reason ${reason.slice(0, 100)}`,
  })
}
