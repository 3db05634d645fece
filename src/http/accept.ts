/**
 * Whether a client would rather have HTML than JSON: browsers name `text/html`, programs send a wildcard or nothing
 * (RFC 9110, section 12.5.1).
 * @param accept the header `Accept`
 */
export function prefersHtml(accept: string | null): boolean {
  return (
    weightOf(accept, ['text/html', 'text/*']) > weightOf(accept, ['application/json', 'application/*', '*/*'])
  )
}

/** The weight of the first of these ranges that the header names; 0 where it names none. */
function weightOf(accept: string | null, ranges: readonly string[]): number {
  const named = new Map(
    (accept ?? '').split(',').map((entry): [string, number] => {
      const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
      return [range, weight === undefined ? 1 : Number(weight) || 0]
    }),
  )
  const found = ranges.find((range) => named.has(range))
  return found === undefined ? 0 : (named.get(found) ?? 0)
}
