import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { hasSixtyFourBits, isExactNumber, parseExactly } from './exactNumber.ts'

describe('parseExactly', () => {
  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(parseExactly(text))).toBe(text)
      }),
    )
  })

  test('every integer is written again as it was read, wherever it is', () => {
    const integer = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })
    fc.assert(
      fc.property(integer, integer, (one, other) => {
        const text = `{"a":${one},"b":[${other},{"c":"${one}"}],"d":1.5}`
        expect(JSON.stringify(parseExactly(text))).toBe(text)
        expect(JSON.stringify(parseExactly(`${one}`))).toBe(`${one}`)
      }),
    )
  })

  test('a number beyond the largest double is written again as it was read', () => {
    for (const text of ['1e400', '{"a":-1.5E+400,"b":[1e309,"1e400"]}', '[1e999999]', '{ "a": 1e400 }']) {
      expect(JSON.stringify(parseExactly(text))).toBe(text.replaceAll(' ', ''))
    }
    for (const text of ['1e308', '[1e-400]', '"a1e400"', '["5e123,1"]'])
      expect(parseExactly(text)).toEqual(JSON.parse(text))
  })

  test('fractions, powers and digits in text stay what JSON.parse makes of them', () => {
    for (const text of ['[1234567890123456789.5]', '[1e20]', '["1234567890123456789"]', '[1234567890123456]'])
      expect(parseExactly(text)).toEqual(JSON.parse(text))
  })

  test('what is no JSON throws', () => {
    expect(() => parseExactly('[12345678901234567890')).toThrow(SyntaxError)
  })
})

test('64 bits are those with a sign and those without', () => {
  const fits = (digits: string) => {
    const value = parseExactly(digits)
    return isExactNumber(value) && hasSixtyFourBits(value)
  }
  expect(fits('1e400')).toBe(false)
  expect(['-9223372036854775808', '9223372036854775807', '18446744073709551615'].every(fits)).toBe(true)
  expect(['-9223372036854775809', '18446744073709551616', `1${'0'.repeat(90)}`].some(fits)).toBe(false)
})
