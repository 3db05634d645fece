import { isJsonObject, type JsonObject } from '../../../../src/core/json.ts'
import { compact, readNumber, readText } from '../../../../src/wire/read.ts'

/** A citation of the answer's text from OpenAI's annotation; undefined for annotations of other kinds. */
export function encodeCitation(annotation: JsonObject, text: string): JsonObject | undefined {
  const cited = annotation['url_citation']
  if (!isJsonObject(cited)) return undefined
  const start = readNumber(cited['start_index']) ?? 0
  const end = readNumber(cited['end_index']) ?? 0
  const title = readText(cited['title'])
  return {
    start,
    end,
    text: text.slice(start, end),
    type: 'TEXT_CONTENT',
    sources: [
      { type: 'document', id: title ?? '', document: compact({ url: readText(cited['url']), title }) },
    ],
  }
}
