/**
 * Where a slice of a text may end: before a space, where a token begins anyway, or else wherever no character is cut in two.
 *
 * @param length at most, in UTF-16 units; one more where a character would be cut
 */
export function sliceEnd(text: string, start: number, length: number): number {
  const end = start + length
  if (end >= text.length) return text.length
  const space = text.lastIndexOf(' ', end)
  if (space > start + length / 2) return space
  const isLowSurrogate = (text.charCodeAt(end) & 0xfc00) === 0xdc00
  return isLowSurrogate ? end + 1 : end
}
