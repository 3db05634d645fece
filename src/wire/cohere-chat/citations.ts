import type { JsonObject } from '../../core/json.ts'
import { readNumber, readObject, readObjects, readText } from '../read.ts'

/**
 * A citation of the answer's text as OpenAI's annotations, one for each source. Cohere's sources are the
 * caller's documents and tool outputs: without an address of their own, their id is the title.
 */
export function decodeCitation(citation: JsonObject): JsonObject[] {
  const type = readText(citation.type)
  if (type !== undefined && type !== 'TEXT_CONTENT') return []
  return readObjects(citation.sources).map((source) => {
    const origin = readObject(source.document) ?? readObject(source.tool_output)
    return {
      type: 'url_citation',
      url_citation: {
        url: readText(origin?.url) ?? '',
        title: readText(origin?.title) ?? readText(source.id) ?? '',
        start_index: readNumber(citation.start) ?? 0,
        end_index: readNumber(citation.end) ?? 0,
      },
    }
  })
}
