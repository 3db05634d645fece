/**
 * Where a slice of a text may end: before a space, where a token begins anyway, or else wherever no character is cut in two.
 *
 * @param length at most, in UTF-16 units; one more where a character would be cut
 */
export function sliceEnd(text: string, start: number, length: number): number {
  const end = start + length
  if (end >= text.length) return text.length
  // Within its second half: a search in the whole text would go back to its beginning where it has no space.
  const half = start + Math.ceil(length / 2)
  const space = text.slice(half, end + 1).lastIndexOf(' ')
  if (space > 0) return half + space
  const isLowSurrogate = (text.charCodeAt(end) & 0xfc00) === 0xdc00
  return isLowSurrogate ? end + 1 : end
}
