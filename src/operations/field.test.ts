import { describe, expect, test } from 'bun:test'
import { assert, bigInt, date, property } from 'fast-check'
import { formatUsd, nano, NANO_MAX } from '../core/money.ts'
import { momentField, nameField, noteField, usdField } from './field.ts'

describe('an amount', () => {
  test('that was written in dollars is read back exactly', () => {
    assert(
      property(bigInt({ min: 0n - NANO_MAX, max: NANO_MAX }), (amount) => {
        return usdField.parse(formatUsd(nano(amount))) === amount
      }),
    )
  })

  test.each([
    ['12.50', 12_500_000_000n],
    ['0', 0n],
    ['-3', -3_000_000_000n],
    [0.1, 100_000_000n],
    [25, 25_000_000_000n],
  ])('%j is understood', (text, amount) => {
    expect(usdField.parse(text)).toBe(nano(amount))
  })

  test.each([
    [''],
    [' 1'],
    ['1e3'],
    ['$5'],
    ['.5'],
    ['5.'],
    ['+5'],
    ['NaN'],
    [1e-7],
    [1e21],
    [Number.NaN],
    [null],
    [{}],
  ])('%j is refused', (text) => {
    expect(usdField.safeParse(text).success).toBe(false)
  })
})

describe('a moment', () => {
  const years = {
    min: new Date('1970-01-01T00:00:00Z'),
    max: new Date('2999-12-31T23:59:59Z'),
    noInvalidDate: true,
  }

  test('in ISO 8601 or Unix seconds is read to the millisecond', () => {
    assert(
      property(date({ ...years, min: new Date(1_000_000_000_000) }), (at) => {
        const milliseconds = at.getTime()
        return (
          momentField.parse(at.toISOString()) === milliseconds &&
          momentField.parse(milliseconds / 1000) === milliseconds &&
          momentField.parse(String(milliseconds / 1000)) === milliseconds
        )
      }),
    )
  })

  test('without a zone is UTC, whatever the zone of the machine', () => {
    const noon = Date.UTC(2026, 10, 20, 12)
    for (const text of [
      '2026-11-20T12:00',
      '2026-11-20 12:00:00',
      '2026-11-20T12:00:00.000',
      '2026-11-20T13:00:00+01:00',
    ]) {
      expect(momentField.parse(text)).toBe(noon)
    }
    expect(momentField.parse('2026-11-20')).toBe(Date.UTC(2026, 10, 20))
  })

  test.each([
    ['tomorrow'],
    ['2026-13-01'],
    ['2026-11-32'],
    ['20.11.2026'],
    [1_795_176_000_000],
    [-1],
    [''],
    [null],
  ])('%j is refused', (value) => {
    expect(momentField.safeParse(value).success).toBe(false)
  })
})

test('a name or a note holds no secret of a key or an admin token, also none that invisible characters break', () => {
  const secret = `tga_${'0123456789ABC'.repeat(4)}`
  for (const text of [secret, `x ${secret}`, `${secret.slice(0, 20)}\u200d${secret.slice(20)}`])
    expect([nameField.safeParse(text).success, noteField.safeParse(text).success]).toEqual([false, false])
  expect(noteField.safeParse(`${secret.slice(0, 20)}\u200b${secret.slice(20)}`).success).toBe(false)
  expect(nameField.safeParse(secret.slice(0, 30)).success).toBe(true)
})
