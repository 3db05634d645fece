import { type Tokenizer, createTokenizer } from '../../src/tokens/tokenizer.ts'

let shared: Tokenizer | undefined

/** One tokenizer for all gateways of a test process: it takes most of a second of CPU to load its tables. */
export function sharedTokenizer(): Tokenizer {
  shared ??= createTokenizer()
  const { count } = shared
  return { count, close: () => undefined }
}
