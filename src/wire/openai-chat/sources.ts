import type { JsonObject } from '../../core/json.ts'
import { readObjects, readText } from '../read.ts'

/**
 * The sources of a search that a provider puts beside the choices, as annotations of the whole text: Perplexity's
 * `search_results`, and its older `citations`, addresses alone. Undefined: it has none.
 */
export function readSources({ search_results: results, citations }: JsonObject): JsonObject[] | undefined {
  const found = readObjects(results).flatMap(({ url, title }) => source(url, title))
  if (found.length > 0) return found
  const cited = Array.isArray(citations) ? citations.flatMap((url: unknown) => source(url, undefined)) : []
  return cited.length > 0 ? cited : undefined
}

/** Its place in the text is not known. */
function source(url: unknown, title: unknown): JsonObject[] {
  const address = readText(url)
  if (address === undefined) return []
  const cited = { url: address, title: readText(title) ?? '', start_index: 0, end_index: 0 }
  return [{ type: 'url_citation', url_citation: cited }]
}
