import type { UpstreamFailure } from '../core/failure.ts'
import { failureCode } from '../core/failureCode.ts'
import { DETAIL_LENGTH_MAX } from './invalidAnswer.ts'
import type { Reading } from './readError.ts'
import { retryAfterMs, usedUpCounters } from './retryAfter.ts'
import type { ErrorAnswer } from './wire.ts'

/** What an error says beside what was read in it. */
export interface ErrorText {
  /** Where the format documents a code, the surest first. */
  readonly codes?: readonly unknown[]
  /** The provider's words. */
  readonly detail: string
  /** The field at fault, by the caller's name. */
  readonly param?: string | undefined
}

/** The failure that an answer with a good status reports, whole or in a frame. */
export function reportedFailure(reading: Reading, { codes = [], detail, param }: ErrorText): UpstreamFailure {
  const code = failureCode(...codes)
  return {
    ...(param !== undefined && { param }),
    ...reading,
    ...(code !== undefined && { code }),
    detail: detail.slice(0, DETAIL_LENGTH_MAX),
  }
}

/** The same with what the answer itself says: status, wait, and its body where the error has no words. */
export function failureOf(
  answer: ErrorAnswer,
  reading: Reading,
  text: Partial<ErrorText> = {},
): UpstreamFailure {
  const wait = retryAfterMs(answer.headers)
  return {
    ...reportedFailure(reading, { detail: answer.body, ...text }),
    status: answer.status,
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(usedUpCounters(answer.headers).length > 0 && { remainingZero: true }),
  }
}
