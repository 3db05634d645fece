import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { sliceEnd } from './slices.ts'
import type { CountAnswer, CountRequest } from './tokenizer.ts'

declare const self: {
  addEventListener(type: 'message', listener: (event: { data: CountRequest }) => void): void
  postMessage(answer: CountAnswer, options: { transfer: [] }): void
}

/** In a run without spaces the tokenizer's time grows with the square of its length: it counts in slices. */
const SLICE_CHARACTERS = 512
/** Text that looks like a special token is text. */
const OPTIONS = { disallowedSpecial: new Set<string>() }

self.addEventListener('message', ({ data: { id, text } }) => {
  let count = 0
  for (let start = 0; start < text.length;) {
    const end = sliceEnd(text, start, SLICE_CHARACTERS)
    count += countTokens(text.slice(start, end), OPTIONS)
    start = end
  }
  self.postMessage({ id, count }, { transfer: [] })
})
