import type { Refusal } from '../core/error.ts'
import type { CallersNames } from './wire.ts'

/** What can be a name in a sentence: a type of content, what is in backticks, and a word with an underscore. */
const NAMES = /content of type `?(\w+)|`([^`]+)`|\b([a-z]+(?:_[a-z]+)+)\b/g

/**
 * A refusal with the caller's own names, in `param` and in the sentence: of what a request holds, which the code knows by
 * its canonical names.
 */
export function inCallersNames(refusal: Refusal, names: CallersNames | undefined): Refusal {
  if (names === undefined || refusal.code !== 'invalid_request') return refusal
  const { message, part, param } = refusal
  const said = message.replace(NAMES, (whole: string, type?: string, quoted?: string, word = '') =>
    type === undefined ? whole.replace(quoted ?? word, names.path) : whole.replace(type, names.contentType),
  )
  return { ...refusal, message: said, param: param === null ? null : names.path(part ?? param) }
}

/**
 * The caller's names of fields that were left out, each once.
 *
 * @param own those that are the caller's already: `max_tokens` is unknown in Responses, and the canonical name of another field
 */
export function droppedNames(
  dropped: readonly string[],
  names: CallersNames | undefined,
  own: readonly string[] = [],
): readonly string[] {
  if (names === undefined) return dropped
  const unknown = new Set(own)
  return [...new Set(dropped.map((name) => (unknown.has(name) ? name : names.path(name))))]
}
