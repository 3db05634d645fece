import type { JsonObject } from '../../core/json.ts'
import { readNumber, readText } from '../read.ts'

/**
 * Citations of the web. Those of files name files of the operator's account, and have no place in the canonical language.
 * @param shift where the text that they belong to begins in the whole message
 */
export function decodeAnnotations(annotations: readonly JsonObject[], shift: number): JsonObject[] {
  return annotations.flatMap(({ type, url: address, title, start_index: start, end_index: end }) => {
    const url = readText(address)
    if (type !== 'url_citation' || url === undefined) return []
    const cited = {
      url,
      title: readText(title) ?? '',
      start_index: shift + (readNumber(start) ?? 0),
      end_index: shift + (readNumber(end) ?? 0),
    }
    return { type: 'url_citation', url_citation: cited }
  })
}
