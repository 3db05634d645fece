import { describe, expect, test } from 'bun:test'
import { assert, bigInt, property } from 'fast-check'
import { formatUsd, nano, NANO_MAX, parseUsd } from './money.ts'

describe('an amount in US dollars', () => {
  test.each([
    ['0', 0n],
    ['1', 1_000_000_000n],
    ['0.000000001', 1n],
    ['12.5', 12_500_000_000n],
    ['-3.25', -3_250_000_000n],
    ['9223372036.854775807', NANO_MAX],
  ])('%s is read exactly', (text, expected) => {
    expect(parseUsd(text)).toBe(nano(expected))
  })

  test.each([
    '',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '1e3',
    '+1',
    '0x1',
    '1,5',
    '0.0000000001',
    '9223372036.854775808',
    'NaN',
  ])('%p is none', (text) => {
    expect(parseUsd(text)).toBeUndefined()
  })

  test.each([
    [0n, '0.00'],
    [1n, '0.000000001'],
    [10_000_000n, '0.01'],
    [12_500_000_000n, '12.50'],
    [-1_230_000_000n, '-1.23'],
    [1_000_000_000_000n, '1000.00'],
  ])('%p nano-dollars are written as a person would', (amount, expected) => {
    expect(formatUsd(nano(amount))).toBe(expected)
  })

  test('what is written is read back', () => {
    assert(
      property(bigInt({ min: 0n - NANO_MAX, max: NANO_MAX }), (amount) => {
        expect(parseUsd(formatUsd(nano(amount)))).toBe(nano(amount))
      }),
    )
  })
})
