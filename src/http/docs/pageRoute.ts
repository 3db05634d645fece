/** Documents change with the version alone. */
export const KEPT_FOR_A_WHILE = { 'Cache-Control': 'public, max-age=300' }

/** The route of something for people, or for what reads the pages: `types` are its media types, by default HTML. */
export function page(summary: string, operationId: string, path: string, ...types: readonly string[]) {
  const content = (types.length === 0 ? ['text/html'] : types).map((type) => [type, TEXT] as const)
  return {
    method: 'get' as const,
    path,
    operationId,
    summary,
    tags: ['Pages'],
    security: [],
    responses: { 200: { description: 'A page.', content: Object.fromEntries(content) } },
  }
}

const TEXT = { schema: { type: 'string' as const } }
