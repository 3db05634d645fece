/** Paths of up to so many segments are seen as they were sent. The deepest of ours has six, but for ids of models. */
const SEGMENTS_MAX = 10

/** Segments of a path (`s1`, `s2`, …), decoded. */
export type Segments = Readonly<Record<string, string>>

/**
 * Patterns that match every path of up to `SEGMENTS_MAX` segments, one for each count, with and without a slash at the
 * end. The runtime resolves `..`, `.` and backslashes in a request's URL; only its router shows what was sent.
 */
export const SEGMENT_PATTERNS: readonly string[] = Array.from({ length: SEGMENTS_MAX }, (_, last) => {
  const pattern = Array.from({ length: last + 1 }, (_, i) => `/:s${i + 1}`).join('')
  return [pattern, `${pattern}/`]
}).flat()

/**
 * The path that was sent, where it is not the normal form of `path`, which the runtime made of it; else undefined. A
 * proxy that guards paths by their letters would take it for another.
 *
 * Where a doubled slash stands nothing can be seen. Such paths are folded on purpose, so that a proxy that does not fold
 * them is passed without dots, too.
 *
 * @param segments of what was sent; undefined where no pattern matched
 */
export function disguisedPath(path: string, segments: Segments | undefined): string | undefined {
  if (path.includes('\\')) return path
  if (segments === undefined) return lostSegments(path) ? `${path}/.` : undefined
  const sent = Object.values(segments)
  if (!sent.some((segment) => segment === '.' || segment === '..' || segment.includes('\\'))) return undefined
  return `/${sent.map(encodeURIComponent).join('/')}`
}

/** A pattern would have matched a path of so few segments: more were sent. */
function lostSegments(path: string): boolean {
  if (path === '/' || path.includes('//')) return false
  return path.split('/').filter((segment) => segment !== '').length <= SEGMENTS_MAX
}
