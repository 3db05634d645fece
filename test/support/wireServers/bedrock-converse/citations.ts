import type { JsonObject } from '../../../../src/core/json.ts'
import { compact } from '../../../../src/wire/read.ts'

/** A citation of a web page from OpenAI's annotation; none from annotations of other kinds. */
export function encodeCitation(annotation: JsonObject): JsonObject[] {
  const citation = annotation['url_citation']
  if (typeof citation !== 'object' || citation === null || !('url' in citation)) return []
  return [compact({ title: citation['title'], location: { web: { url: citation['url'] } } })]
}
