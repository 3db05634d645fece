import { describe, expect, test } from 'bun:test'
import { DECIDING_LENGTH_MAX, decidingWords } from './decidingWords.ts'

describe('what decides', () => {
  test.each([
    [
      "Invalid value: 'out of credits'. Supported values are: 'low', 'high'.",
      'Invalid value: …. Supported values are: …, ….',
    ],
    ['Missing "credit balance" in `schema`.', 'Missing … in ….'],
    ["Unknown name 'it's unauthorized' here", 'Unknown name … here'],
    ['Unknown name “out of credits”', 'Unknown name …'],
    ["Invalid value: 'out of credits and so", 'Invalid value: …'],
    ["This model's maximum context length is 8192", "This model's maximum context length is 8192"],
    ["Users' quota: insufficient balance", "Users' quota: insufficient balance"],
  ])('is not what is quoted: %s', (message, words) => {
    expect(decidingWords(message, undefined)).toBe(words)
  })

  test('is not what the request says, as it stands there or escaped, and the rest does not grow together', () => {
    const sent = { messages: [{ content: 'out of\ncredits' }], reasoning_effort: 'XXXX', model: 'm' }
    expect(decidingWords(String.raw`got out of\ncredits here`, sent)).toBe('got … here')
    expect(decidingWords('insufficient XXXXcredits', sent)).toBe('insufficient …credits')
    expect(decidingWords('one XXXX', { a: 'XXXX', b: 'one XXXX' })).toBe('…')
  })

  test('is not the name of a property that the caller chose, but may be a name of the format', () => {
    const sent = {
      tools: [{ function: { parameters: { properties: { 'credit balance': {} } } } }],
      max_tokens: 3,
    }
    expect(decidingWords('credit balance is required', sent)).toBe('… is required')
    expect(decidingWords('or fewer max_tokens', sent)).toBe('or fewer max_tokens')
  })

  test('is nothing of a message above the bound', () => {
    expect(decidingWords('out of credits'.padEnd(DECIDING_LENGTH_MAX), undefined)).toContain('out of credits')
    expect(decidingWords('out of credits'.padEnd(DECIDING_LENGTH_MAX + 1), undefined)).toBe('')
  })

  test('is found in a request of 100,000 strings within a moment', () => {
    const sent = Array.from({ length: 100_000 }, (_, i) => `word ${i} of many, each another`)
    const began = performance.now()
    expect(
      decidingWords('word 7 of many, each another, and out of credits'.padEnd(2_000, '.'), sent),
    ).toStartWith('…, and out of credits')
    expect(performance.now() - began).toBeLessThan(1_000)
  })
})
