import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { IDEOGRAPHS, SYLLABLES } from '../core/commonCharacters.ts'
import { LETTERS } from '../core/scriptWeights.ts'
import { estimateTokens } from '../core/tokenEstimate.ts'
import { SAMPLES } from '../../test/support/estimateSamples.ts'
import { NATURAL } from '../../test/support/naturalSamples.ts'

// The tokenizer's tables alone may take many seconds to load on a busy machine.
setDefaultTimeout(120_000)

const BLOCK = 32
/** Random text of any script is estimated at no less than this part of its count. */
const PART_MIN = 0.8

const isAssigned = (code: number): boolean => /^\p{Assigned}$/u.test(String.fromCharCode(code))
const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000
const part = (text: string): number => estimateTokens(text) / countTokens(text)

/** The assigned characters of each block, beyond ASCII. */
function* blocks(): Generator<readonly string[]> {
  for (let from = 0x80; from < 0x10000; from += BLOCK) {
    const codes = Array.from({ length: BLOCK }, (_, index) => from + index)
    const characters = codes.filter((code) => isAssigned(code) && !isSurrogate(code))
    if (characters.length > 0) yield characters.map((code) => String.fromCharCode(code))
  }
}

/** Park and Miller's numbers: the same in each run. */
function createRandom(): (below: number) => number {
  let state = 1
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

describe('the estimate', () => {
  const random = createRandom()
  const drawn = (characters: readonly string[], length: number): string =>
    Array.from({ length }, () => characters[random(characters.length)]).join('')

  test('of random text of any block of 32 characters is near its count or above', () => {
    const low: string[] = []
    for (const characters of blocks()) {
      const text = drawn(characters, 200)
      const words = Array.from({ length: 30 }, () => drawn(characters, 2 + random(7))).join(' ')
      if (part(text) < PART_MIN || part(words) < PART_MIN) low.push(characters.join(''))
    }
    expect(low).toEqual([])
  })

  test('of a character again and again is near its count or above, but for the letters of living languages', () => {
    const letters = new Set(LETTERS.flatMap(([, some]) => some.split('')))
    const low: string[] = []
    for (const characters of blocks()) {
      for (const character of characters) {
        if (!letters.has(character) && part(character.repeat(40)) < PART_MIN) low.push(character)
      }
    }
    expect(low).toEqual([])
  })

  test.each([
    ['letters of Cyrillic that few languages have', 'ҠҢҤҦҨӁӃӅԀԂԄԪԬԮ'.repeat(20)],
    ['a capital of Cyrillic again and again', '\u0420'.repeat(400)],
    ['a letter that is hardly ever used, with spaces', 'ẞ '.repeat(200)],
  ])('of %s is at least the count', (_, text) => {
    expect(part(text)).toBeGreaterThanOrEqual(1)
  })

  test.each(Object.entries(NATURAL))('of natural text is at least the count: %s', (_, text) => {
    expect(part(text)).toBeGreaterThanOrEqual(1)
  })

  test('of natural Russian is less than twice the count', () => {
    for (const text of [SAMPLES.Russian, NATURAL['Russian']]) expect(part(text ?? '')).toBeLessThan(2)
  })
})

test.each([
  ['ideographs', IDEOGRAPHS, 0x4e00, 0xa000],
  ['syllables', SYLLABLES, 0xac00, 0xd7a4],
] as const)('the %s that count as common are those of one token', (_, common, from, to) => {
  const codes = Array.from({ length: to - from }, (_code, index) => from + index)
  const single = codes.map((code) => String.fromCharCode(code)).filter((one) => countTokens(one) === 1)
  expect(common.join('')).toBe(single.join(''))
})
