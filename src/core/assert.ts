/** A bug in Tollgate itself. The request dies with `internal_error`; the process lives. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

/** States what is always true here. Never used for input from outside. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message)
}

/** The end of an exhaustive switch: a new member of the union is a type error here. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`)
}
