import { expect, test } from 'bun:test'
import { FINISH_WORDS_MAX, createFinishWords } from './finishWords.ts'

test('a word is shown as it came, and what is no word as other', () => {
  const shown = createFinishWords()
  expect(shown('max_time')).toBe('max_time')
  for (const odd of ['', 'the end of it', '<b>', 'x'.repeat(41), '5', 'sk-proj-AbC_123-xyz'])
    expect(shown(odd)).toBe('other')
})

test('a provider that ends each answer with another word makes a bounded number of them', () => {
  const shown = createFinishWords()
  const words = Array.from({ length: 1_000 }, (_, i) => shown(wordOf(i)))
  expect(new Set(words).size).toBe(FINISH_WORDS_MAX + 1)
  expect(shown(wordOf(0))).toBe(wordOf(0))
})

function wordOf(i: number): string {
  return `word_${Array.from(String(i), (digit) => 'abcdefghij'[Number(digit)]).join('')}`
}
