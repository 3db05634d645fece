import type { UpstreamFailure } from '../core/failure.ts'
import { failureCode } from '../core/failureCode.ts'
import { DETAIL_LENGTH_MAX } from './invalidAnswer.ts'
import type { Reading } from './readError.ts'
import { retryAfterMs, usedUpCounters } from './retryAfter.ts'
import type { ErrorAnswer } from './wire.ts'

/**
 * A failure with what the answer itself tells: status, wait, the provider's words.
 *
 * @param more.codes where the format documents a code, the surest first
 */
export function failureOf(
  answer: ErrorAnswer,
  reading: Reading,
  more: { codes?: readonly unknown[]; detail?: string; param?: string } = {},
): UpstreamFailure {
  const wait = retryAfterMs(answer.headers)
  return {
    ...(more.param !== undefined && { param: more.param }),
    ...reading,
    status: answer.status,
    ...codeOf(more.codes ?? []),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(usedUpCounters(answer.headers).length > 0 && { remainingZero: true }),
    detail: (more.detail ?? answer.body).slice(0, DETAIL_LENGTH_MAX),
  }
}

/** The `code` of a failure, where one of these is one. */
export function codeOf(candidates: readonly unknown[]): { readonly code?: string } {
  const code = failureCode(...candidates)
  return code === undefined ? {} : { code }
}
