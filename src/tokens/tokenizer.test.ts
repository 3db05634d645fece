import { afterAll, expect, test } from 'bun:test'
import { estimateTokens } from '../core/tokenEstimate.ts'
import { createTokenizer } from './tokenizer.ts'

const tokenizer = createTokenizer()
afterAll(() => tokenizer.close())

test('texts are counted as o200k counts them', async () => {
  const counts = await Promise.all(
    ['', 'Hello', 'Hello, world!', 'antidisestablishmentarianism'].map((text) => tokenizer.count(text)),
  )
  expect(counts).toEqual([0, 1, 4, 6])
})

test('text that looks like a special token is counted as text', async () => {
  expect(await tokenizer.count('<|endoftext|>')).toBeGreaterThan(1)
})

test('a closed tokenizer answers what was waiting with the estimate, and starts again when asked', async () => {
  const short = createTokenizer()
  const waiting = short.count('Hello, world!')
  short.close()
  expect(await waiting).toBe(estimateTokens('Hello, world!'))
  expect(await short.count('Hello, world!')).toBe(4)
  short.close()
})

test('a count that takes too long is estimated', async () => {
  const hasty = createTokenizer({ timeoutMs: 1 })
  // Loading the tables alone takes longer than a millisecond.
  expect(await hasty.count('Hello, world!')).toBe(estimateTokens('Hello, world!'))
  hasty.close()
})

test('more text than may wait is estimated at once', async () => {
  const text = 'word '.repeat(4 * 2 ** 20)
  expect(await tokenizer.count(text)).toBe(estimateTokens(text))
})

test('without work the tokenizer ends by itself and comes back when needed', async () => {
  const brief = createTokenizer({ idleMs: 1 })
  expect(await brief.count('Hello')).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await brief.count('Hello, world!')).toBe(4)
  brief.close()
})
