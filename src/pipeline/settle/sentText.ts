import { Buffer } from 'node:buffer'
import { estimateTokens } from '../../core/tokenEstimate.ts'

/**
 * Of a request's texts, what a body of so many bytes can hold. A target that cannot take a field is sent none of it, and
 * nobody remembers which: the densest texts are kept, so that the count of what was sent is never above this one's.
 *
 * JSON makes no text shorter: where all texts together have no more bytes than the body, all of them are kept.
 */
export function textsWithin(texts: readonly string[], bodyBytes: number): readonly string[] {
  let total = 0
  for (const text of texts) total += Buffer.byteLength(text)
  if (total <= bodyBytes) return texts
  const kept: string[] = []
  let left = bodyBytes
  for (const { text, bytes } of densestFirst(texts)) {
    if (left <= 0) break
    kept.push(bytes <= left ? text : Buffer.from(text).subarray(0, left).toString())
    left -= bytes
  }
  return kept
}

function densestFirst(texts: readonly string[]): { readonly text: string; readonly bytes: number }[] {
  return texts
    .filter((text) => text !== '')
    .map((text) => {
      const bytes = Buffer.byteLength(text)
      return { text, bytes, density: estimateTokens(text) / bytes }
    })
    .toSorted((a, b) => b.density - a.density)
}
