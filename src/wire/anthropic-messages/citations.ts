import type { JsonObject } from '../../core/json.ts'
import { readObject, readText } from '../read.ts'

/** Citations with an address become annotations of the text between `start` and `end`. */
export function decodeCitations(citations: readonly JsonObject[], start: number, end: number): JsonObject[] {
  return citations.flatMap((citation) => {
    const url = readText(citation.url) ?? readText(citation.source)
    if (url === undefined) return []
    const title = readText(citation.title) ?? ''
    return { type: 'url_citation', url_citation: { url, title, start_index: start, end_index: end } }
  })
}

/** An annotation as this format cites the web; undefined when it has no address. */
export function encodeCitation(annotation: JsonObject, content: string): JsonObject | undefined {
  const citation = readObject(annotation.url_citation)
  const url = readText(citation?.url)
  if (!citation || url === undefined) return undefined
  const { start_index: start, end_index: end } = citation
  const quoted = typeof start === 'number' && typeof end === 'number' ? content.slice(start, end) : ''
  return {
    type: 'web_search_result_location',
    url,
    title: readText(citation.title) ?? null,
    cited_text: quoted,
    encrypted_index: '',
  }
}
