import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { CountAnswer, CountRequest } from './tokenizer.ts'

declare const self: {
  addEventListener(type: 'message', listener: (event: { data: CountRequest }) => void): void
  postMessage(answer: CountAnswer, options: { transfer: [] }): void
}

/** The tokenizer is slower than linear in some texts: long ones are counted in slices. */
const SLICE_CHARACTERS = 16_384
/** Text that looks like a special token is text. */
const OPTIONS = { disallowedSpecial: new Set<string>() }

self.addEventListener('message', ({ data: { id, text } }) => {
  let count = 0
  for (let start = 0; start < text.length; start += SLICE_CHARACTERS)
    count += countTokens(text.slice(start, start + SLICE_CHARACTERS), OPTIONS)
  self.postMessage({ id, count }, { transfer: [] })
})
