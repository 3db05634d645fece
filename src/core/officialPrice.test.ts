import { expect, test } from 'bun:test'
import { nano } from './money.ts'
import { officialPriceAt } from './officialPrice.ts'

const DAY = Date.parse('2027-01-01')
const official = {
  input: nano(1n),
  output: nano(2n),
  source: 'acme',
  later: [
    { validFrom: DAY, input: nano(3n), output: nano(4n) },
    { validFrom: DAY + 1000, input: nano(5n), output: nano(6n) },
  ],
}

test('an announced official price is in force from its moment on, and not before', () => {
  expect(officialPriceAt(official, DAY - 1)).toBe(official)
  expect(officialPriceAt(official, DAY)).toEqual({ input: nano(3n), output: nano(4n), source: 'acme' })
  expect(officialPriceAt(official, DAY + 999).input).toBe(nano(3n))
  expect(officialPriceAt(official, DAY + 1000).input).toBe(nano(5n))
})

test('a price without announcements holds always', () => {
  const plain = { input: nano(1n), output: nano(2n), source: 'acme' }
  expect(officialPriceAt(plain, 0)).toBe(plain)
})
