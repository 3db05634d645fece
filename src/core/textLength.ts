/**
 * How many characters the strings and field names of a value of JSON have together, with one for each other value; it stops
 * counting above `most`, so that a large value costs no more than a small one.
 */
export function textLength(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  let length = 1
  for (const name in value) {
    length += name.length
    if (length <= most)
      length += textLength((value as Readonly<Record<string, unknown>>)[name], most - length)
    if (length > most) break
  }
  return length
}
