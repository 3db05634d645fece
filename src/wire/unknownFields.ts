import type { ChatRequest } from '../core/chat/request.ts'
import { printableStart } from '../core/printable.ts'
import type { EncodedRequest } from './wire.ts'

/** So many names of fields that nobody knows are told, at most. */
const NAMES_MAX = 16
/** A name that can be in a header. Of others, and of a key in place of a name, the caller gets only that there are some. */
const TELLABLE = /^[\w.$[\]-]{1,64}$/
/** Stands for names that are not told. */
const OTHERS = '...'

/** The names to tell a caller of, in the order they came; with `...` at the end where there are more. */
export function namesOfUnknown(names: readonly string[]): readonly string[] {
  const told = names
    .filter((name) => TELLABLE.test(name) && printableStart(name) === name)
    .slice(0, NAMES_MAX)
  return told.length < names.length ? [...told, OTHERS] : told
}

/** A translated request: what only the caller's own format has is left out of it. */
export function namingUnknown({ unknownFields }: ChatRequest, encoded: EncodedRequest): EncodedRequest {
  return unknownFields === undefined
    ? encoded
    : { ...encoded, dropped: [...unknownFields, ...encoded.dropped] }
}
