/** The body in the names of a generated client: `max_tokens` → `maxTokens`, except inside what callers name themselves. */
export function inCamelCase(value: unknown, opaque: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => inCamelCase(item, opaque))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      opaque.has(name) ? field : inCamelCase(field, opaque),
    ]),
  )
}
