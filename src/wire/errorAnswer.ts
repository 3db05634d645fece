import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import { failureCode } from '../core/failureCode.ts'
import type { Json } from '../core/json.ts'
import type { Reading } from './readError.ts'
import { retryAfterMs, usedUpCounters } from './retryAfter.ts'
import type { ErrorAnswer } from './wire.ts'

/** More of a provider's words than this helps nobody who reads the log. */
export const DETAIL_LENGTH_MAX = 2_000

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
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(usedUpCounters(answer.headers).length > 0 && { remainingZero: true }),
    detail: (more.detail ?? answer.body).slice(0, DETAIL_LENGTH_MAX),
  }
}

/** The `code` of a failure, where one of these is one. */
export function codeOf(candidates: readonly unknown[]): { readonly code?: string } {
  const code = failureCode(...candidates)
  return code === undefined ? {} : { code }
}

/** For an answer that is none: why, and its beginning for the log. */
export function invalidAnswer(why: string, body: Json): UpstreamError {
  const detail = `${why}: ${writeJson(body) ?? '(nested too deep)'}`
  return new UpstreamError({ kind: 'invalid_answer', detail: detail.slice(0, DETAIL_LENGTH_MAX) })
}

/** JSON text of a provider's value; undefined when it is nested deeper than the engine's stack. */
export function writeJson(value: Json): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
