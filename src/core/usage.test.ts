import { describe, expect, test } from 'bun:test'
import { isPlausible, type Usage } from './usage.ts'

const CEILING = { promptTokens: 1_000, completionTokens: 100 }
const HONEST: Usage = {
  promptTokens: 1_000,
  cachedTokens: 400,
  cacheWriteTokens: 600,
  completionTokens: 100,
  reasoningTokens: 100,
}

describe('reported usage', () => {
  test('that is just within every bound can be true', () => {
    expect(isPlausible(HONEST, CEILING)).toBe(true)
  })

  test.each<[string, Partial<Usage>]>([
    ['a prompt above the context length', { promptTokens: 1_001 }],
    ['a completion above the output limit', { completionTokens: 101 }],
    ['negative tokens', { completionTokens: -1, reasoningTokens: 0 }],
    ['half a token', { promptTokens: 1_000.5 }],
    ['more cached tokens than the prompt has', { cachedTokens: 401 }],
    ['more reasoning than completion', { completionTokens: 99 }],
    ['no number at all', { promptTokens: Number.NaN }],
    ['infinity', { completionTokens: Number.POSITIVE_INFINITY }],
  ])('%s cannot be true', (_what, change) => {
    expect(isPlausible({ ...HONEST, ...change }, CEILING)).toBe(false)
  })
})
