import { describe, expect, test } from 'bun:test'
import { assert, constantFrom, integer, nat, property, record, tuple } from 'fast-check'
import { nano, parseUsd, ZERO } from './money.ts'
import {
  ceilingFor,
  chargeFor,
  chargeLines,
  priceAt,
  unitPricesFor,
  type Price,
  type UnitPrices,
} from './price.ts'
import { NO_USAGE, type Usage } from './usage.ts'

/** Usage that can be true: parts within their wholes. */
const plausible = tuple(nat(200_000), nat(200_000), nat(200_000), nat(100_000), nat(100_000)).map(
  ([uncached, cached, written, spoken, reasoned]): Usage => ({
    promptTokens: uncached + cached + written,
    cachedTokens: cached,
    cacheWriteTokens: written,
    completionTokens: spoken + reasoned,
    reasoningTokens: reasoned,
  }),
)

/** A price as a file writes it: US dollars per million tokens, to nine decimals. */
const priceText = tuple(nat(500), integer({ min: 0, max: 999_999_999 })).map(
  ([whole, fraction]) => `${whole}.${String(fraction).padStart(9, '0')}`,
)
const CLASSES = ['input', 'cachedInput', 'cacheWrite', 'output', 'reasoning'] as const
const priceTexts = record({
  input: priceText,
  cachedInput: priceText,
  cacheWrite: priceText,
  output: priceText,
  reasoning: priceText,
})

function unitPrices(texts: Record<(typeof CLASSES)[number], string>): UnitPrices {
  const prices = Object.fromEntries(CLASSES.map((name) => [name, parseUsd(texts[name]) ?? ZERO]))
  return prices as unknown as UnitPrices
}

/**
 * An oracle that shares nothing with the code: schoolbook arithmetic on decimal digits. Gives the sum of
 * tokens × price ÷ 1,000,000, rounded half up to nine decimals, in nano-dollars.
 */
function oracle(pairs: readonly (readonly [tokens: number, price: string])[]): bigint {
  let sum = '0'
  for (const [tokens, price] of pairs) sum = addDecimal(sum, multiplyDecimal(price, tokens))
  const [whole = '0', fraction = ''] = sum.split('.')
  // Dividing by a million moves the point by six places; nine are kept, the tenth rounds.
  const digits = whole.padStart(7, '0') + fraction.padEnd(9, '0')
  const point = digits.length - 9 - 6
  const kept = digits.slice(0, point + 9)
  const next = Number(digits.charAt(point + 9))
  return BigInt(kept) + (next >= 5 ? 1n : 0n)
}

function multiplyDecimal(decimal: string, factor: number): string {
  const digits = decimal.replace('.', '')
  let carry = 0
  let product = ''
  for (let i = digits.length - 1; i >= 0; i--) {
    const value = Number(digits[i]) * factor + carry
    product = String(value % 10) + product
    carry = Math.floor(value / 10)
  }
  product = String(carry) + product
  return `${product.slice(0, -9)}.${product.slice(-9)}`
}

function addDecimal(a: string, b: string): string {
  const [wholeA = '', fractionA = ''] = a.split('.')
  const [wholeB = '', fractionB = ''] = b.split('.')
  const width = Math.max(wholeA.length, wholeB.length)
  const left = wholeA.padStart(width, '0') + fractionA.padEnd(9, '0')
  const right = wholeB.padStart(width, '0') + fractionB.padEnd(9, '0')
  let carry = 0
  let sum = ''
  for (let i = left.length - 1; i >= 0; i--) {
    const value = Number(left[i]) + Number(right[i]) + carry
    sum = String(value % 10) + sum
    carry = Math.floor(value / 10)
  }
  sum = String(carry) + sum
  return `${sum.slice(0, -9)}.${sum.slice(-9)}`
}

describe('a charge', () => {
  test('equals the sum of a decimal oracle, rounded once, half up', () => {
    assert(
      property(plausible, priceTexts, (usage, texts) => {
        const expected = oracle([
          [usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens, texts.input],
          [usage.cachedTokens, texts.cachedInput],
          [usage.cacheWriteTokens, texts.cacheWrite],
          [usage.completionTokens - usage.reasoningTokens, texts.output],
          [usage.reasoningTokens, texts.reasoning],
        ])
        expect(chargeFor(chargeLines(usage, unitPrices(texts)))).toBe(nano(expected))
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    [0.5, '0.000000001'],
    [0.499999, '0.000000000'],
    [1.5, '0.000000002'],
  ])('%p nano-dollars round half up to $%s', (nanos, expected) => {
    const usage = { ...NO_USAGE, promptTokens: 1 }
    const price = nano(BigInt(Math.round(nanos * 1_000_000)))
    expect(chargeFor(chargeLines(usage, { input: price, output: ZERO }))).toBe(parseUsd(expected) ?? ZERO)
  })

  test('is never negative and never above the ceiling of its tokens', () => {
    assert(
      property(plausible, priceTexts, (usage, texts) => {
        const price: Price = unitPrices(texts)
        const charge = chargeFor(chargeLines(usage, price))
        const prompt = { promptTokens: usage.promptTokens, prompts: 1 }
        const ceiling = ceilingFor(price, prompt, usage.completionTokens)
        expect(charge).toBeGreaterThanOrEqual(0n)
        expect(charge).toBeLessThanOrEqual(ceiling)
      }),
      { numRuns: 2_000 },
    )
  })

  test('counts every token in exactly one line', () => {
    assert(
      property(plausible, priceTexts, (usage, texts) => {
        const lines = chargeLines(usage, unitPrices(texts))
        const tokens = (...classes: string[]): number =>
          lines.filter((line) => classes.includes(line.class)).reduce((sum, line) => sum + line.tokens, 0)
        expect(tokens('input', 'cached_input', 'cache_write')).toBe(usage.promptTokens)
        expect(tokens('output', 'reasoning')).toBe(usage.completionTokens)
        expect(lines.every((line) => line.tokens > 0)).toBe(true)
      }),
    )
  })

  test('a class without a price of its own costs what its whole costs', () => {
    const usage: Usage = {
      promptTokens: 30,
      cachedTokens: 10,
      cacheWriteTokens: 10,
      completionTokens: 20,
      reasoningTokens: 5,
    }
    const prices = { input: nano(1_000_000n), output: nano(2_000_000n) }
    expect(chargeFor(chargeLines(usage, prices))).toBe(nano(70n))
  })
})

describe('a price', () => {
  const first: Price = { input: nano(1n), output: nano(1n) }
  const second: Price = { input: nano(2n), output: nano(2n), validFrom: 1_000 }
  const third: Price = { input: nano(3n), output: nano(3n), validFrom: 2_000 }

  test.each([
    [0, first],
    [999, first],
    [1_000, second],
    [1_999, second],
    [2_000, third],
    [9_999, third],
  ])('at %p the one that has begun last is in force', (at, expected) => {
    expect(priceAt([first, second, third], at)).toBe(expected)
  })

  test('holds from its first one on, even before that begins', () => {
    expect(priceAt([third], 0)).toBe(third)
  })

  test.each([
    [272_000, 1n],
    [272_001, 2n],
    [500_000, 2n],
    [500_001, 4n],
  ])('a prompt of %p tokens is in its tier', (promptTokens, input) => {
    const tiered: Price = {
      ...first,
      tiers: [
        { abovePromptTokens: 272_000, input: nano(2n), output: nano(2n) },
        { abovePromptTokens: 500_000, input: nano(4n), output: nano(4n) },
      ],
    }
    expect(unitPricesFor(tiered, promptTokens).input).toBe(nano(input))
  })

  test('a ceiling is rounded up, so that a hold is never short by a rounding', () => {
    assert(
      property(constantFrom(1n, 3n, 999_999n), nat(1_000), (unit, tokens) => {
        const price: Price = { input: nano(unit), output: nano(unit) }
        const ceiling = ceilingFor(price, { promptTokens: tokens, prompts: 1 }, 0)
        expect(ceiling * 1_000_000n).toBeGreaterThanOrEqual(BigInt(tokens) * unit)
      }),
    )
  })
})
