import type { Json } from './json.ts'

/**
 * How many values are in JSON: itself, its items and members, and all within them.
 *
 * @param most counting ends there: the result is at most one more
 */
export function countValues(json: Json, most: number): number {
  if (typeof json !== 'object' || json === null) return 1
  let count = 1
  for (const value of Array.isArray(json) ? (json as readonly Json[]) : Object.values(json)) {
    if (count > most) break
    if (value !== undefined) count += countValues(value, most - count)
  }
  return count
}
