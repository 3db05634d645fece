import type { DataPlaneEndpoint } from './endpoint.ts'

/** The endpoints of one path. */
export interface RoutedPath {
  readonly endpoints: readonly [DataPlaneEndpoint, ...DataPlaneEndpoint[]]
  readonly params: Readonly<Record<string, string>>
}

/** Finds the endpoints of a path as it was sent; undefined where there are none. */
export type FindPath = (path: string) => RoutedPath | undefined

export function createRoutes(endpoints: readonly DataPlaneEndpoint[]): FindPath {
  const byPath = new Map<string, RoutedPath>()
  for (const endpoint of endpoints) {
    const others = byPath.get(endpoint.path)?.endpoints ?? []
    byPath.set(endpoint.path, {
      endpoints: [...others, endpoint] as unknown as RoutedPath['endpoints'],
      params: {},
    })
  }
  const patterns = [...byPath]
    .filter(([path]) => path.includes('{'))
    // The longest first: a parameter at the end of a shorter one would take the rest of it.
    .sort(([a], [b]) => b.split('/').length - a.split('/').length)
    .map(([path, routed]) => ({ pattern: patternOf(path), routed }))

  return (path) => {
    const exact = byPath.get(path)
    if (exact) return exact
    for (const { pattern, routed } of patterns) {
      const groups = pattern.exec(path)?.groups
      if (groups) return { endpoints: routed.endpoints, params: decoded(groups) }
    }
    return undefined
  }
}

function patternOf(path: string): RegExp {
  const escaped = path.replaceAll('.', String.raw`\.`)
  const source = escaped.replaceAll(/\{(\w+)\}(?=\/)/g, '(?<$1>[^/]+)').replace(/\{(\w+)\}$/, '(?<$1>.+)')
  return new RegExp(`^${source}$`)
}

function decoded(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, raw]) => [name, decode(raw)]))
}

/** A value that cannot be decoded names nothing, and is kept as it came. */
function decode(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    return raw
  }
}
