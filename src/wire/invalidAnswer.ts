import { UpstreamError } from '../core/failure.ts'
import type { Json } from '../core/json.ts'
import { writeJson } from './read.ts'

/** More of a provider's words than this helps nobody who reads the log. */
export const DETAIL_LENGTH_MAX = 2_000

/**
 * For an answer that is none, thrown wherever a decoder finds out: why, and the beginning of what came for the log. Of a
 * stream, `streamDecoder` makes it the event that ends it.
 */
export function invalidAnswer(why: string, body?: Json): UpstreamError {
  const detail = body === undefined ? why : `${why}: ${writeJson(body) ?? '(nested too deep)'}`
  return new UpstreamError({ kind: 'invalid_answer', detail: detail.slice(0, DETAIL_LENGTH_MAX) })
}
