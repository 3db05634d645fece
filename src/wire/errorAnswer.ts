import { type FailureKind, UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import { failureCode } from '../core/failureCode.ts'
import type { Json } from '../core/json.ts'
import { retryAfterMs } from './retryAfter.ts'
import type { ErrorAnswer } from './wire.ts'

/** More of a provider's words than this helps nobody who reads the log. */
export const DETAIL_LENGTH_MAX = 2_000

/** What a status alone says; a wire format refines it by its error codes. */
export function kindOfStatus(status: number): FailureKind {
  switch (status) {
    case 401:
    case 403:
    case 498:
      return 'credential'
    case 402:
      return 'billing'
    case 404:
      return 'not_found'
    case 413:
      return 'too_large'
    case 429:
      return 'rate_limited'
    case 503:
    case 529:
      return 'overloaded'
    case 408:
    case 409:
    case 424:
    case 425:
    case 499:
      return 'server'
    default:
      if (status >= 500) return 'server'
      return status >= 400 ? 'bad_request' : 'invalid_answer'
  }
}

const TOO_LONG = new RegExp(
  [
    'too long|too large for model|too many (input |total )?tokens|context (length|window|size)|maximum context',
    // Amazon Nova; Gemini; Poolside.
    'input tokens exceeded|input token count .{0,40}exceeds|exceeds the maximum allowed input length',
    // xAI; Together and Hugging Face's server.
    'maximum prompt length|tokens \\+ .max_new_tokens. must be',
    // vLLM, of the prompt and of the output that it leaves room for; LM Studio.
    'longer than the maximum model length|max_tokens must be at least 1, got -|n_keep .{0,40}n_ctx',
    // Qwen on DashScope and where it is resold; Hugging Face's server.
    'range of input length should be|must have less than \\d+ tokens',
  ].join('|'),
  'i',
)

/** Whether a message complains that prompt, or prompt and output together, exceed the model's context. */
export function saysTooLong(message: string): boolean {
  return TOO_LONG.test(message)
}

/** Whether a message says that a content policy refused the request. */
export function saysContentPolicy(message: string): boolean {
  return /content (filter|policy|management)|violating our usage policy|moderation|guardrail/i.test(message)
}

/**
 * A failure with what the answer itself tells: status, wait, the provider's words.
 *
 * @param more.codes where the format documents a code, the surest first
 */
export function failureOf(
  answer: ErrorAnswer,
  kind: FailureKind,
  more: { codes?: readonly unknown[]; detail?: string; param?: string } = {},
): UpstreamFailure {
  const wait = retryAfterMs(answer.headers)
  return {
    kind,
    status: answer.status,
    ...codeOf(more.codes ?? []),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(more.param === undefined ? {} : { param: more.param }),
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
