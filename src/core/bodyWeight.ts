/** A body up to this size is small: it is read whole, and there is room that only such bodies take. */
export const SMALL_BODY_BYTES = 64 * 1024
/** A body of this size takes milliseconds to read, and as long for each step after it. */
export const LARGE_BODY_BYTES = 1024 * 1024
/** While it is read and sent on, a large body is in memory in several forms at once. */
const LARGE_BODY_WEIGHT = 2

/** What a request body of so many bytes counts in the budget of bodies in flight. */
export function bodyWeight(bytes: number): number {
  return bytes < LARGE_BODY_BYTES ? bytes : LARGE_BODY_WEIGHT * bytes
}
