import type { JsonObject } from '../../core/json.ts'
import { readObject, readText } from '../read.ts'

/** A citation of a web page as OpenAI's annotation; of other sources there is no address to give. */
export function decodeCitation(citation: JsonObject, startIndex: number, endIndex: number): JsonObject[] {
  const web = readObject(readObject(citation.location)?.web)
  const url = readText(web?.url)
  if (url === undefined) return []
  const title = readText(citation.title) ?? readText(web?.domain) ?? url
  return [
    { type: 'url_citation', url_citation: { url, title, start_index: startIndex, end_index: endIndex } },
  ]
}
