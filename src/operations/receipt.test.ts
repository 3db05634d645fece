import { expect, test } from 'bun:test'
import { array, assert, bigInt, integer, property, tuple } from 'fast-check'
import { nano, parseUsd } from '../core/money.ts'
import { exactAmount } from './receipt.ts'

test('the amounts of the lines add up exactly to what is rounded once into the charge', () => {
  const line = tuple(integer({ min: 0, max: 10_000_000 }), bigInt({ min: 0n, max: 10n ** 13n }))
  assert(
    property(array(line, { maxLength: 5 }), (lines) => {
      const exact = lines.reduce((sum, [tokens, price]) => sum + BigInt(tokens) * price, 0n)
      const shown = lines.reduce((sum, [tokens, unitPrice]) => {
        return sum + scaled(exactAmount({ tokens, unitPrice: nano(unitPrice) }))
      }, 0n)
      return shown === exact
    }),
  )
})

test('an amount has at least two decimals and no needless ones', () => {
  expect(exactAmount({ tokens: 1, unitPrice: nano(1n) })).toBe('0.000000000000001')
  expect(exactAmount({ tokens: 2_000_000, unitPrice: parseUsd('0.50') ?? nano(0n) })).toBe('1.00')
  expect(exactAmount({ tokens: 0, unitPrice: nano(5n) })).toBe('0.00')
})

/** A decimal text as an integer of 10⁻¹⁵. */
function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole) * 10n ** 15n + BigInt(fraction.padEnd(15, '0'))
}
