import { expect, test } from 'bun:test'
import { retryAfterMs } from './retryAfter.ts'

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0)

function read(headers: Record<string, string>): number | undefined {
  return retryAfterMs(new Map(Object.entries(headers)), NOW)
}

test('seconds, whole or not, become milliseconds', () => {
  expect(read({ 'retry-after': '2' })).toBe(2000)
  expect(read({ 'retry-after': '0.25' })).toBe(250)
  expect(read({ 'retry-after': '0' })).toBe(0)
})

test('milliseconds are more precise and come first', () => {
  expect(read({ 'retry-after-ms': '1500.5', 'retry-after': '60' })).toBe(1501)
  expect(read({ 'retry-after-ms': 'soon', 'retry-after': '60' })).toBe(60_000)
})

test.each(['Fri, 20 Nov 2026 12:00:30 GMT', 'Friday, 20-Nov-26 12:00:30 GMT', 'Fri Nov 20 12:00:30 2026'])(
  'the HTTP date %s counts from now',
  (date) => {
    expect(read({ 'retry-after': date })).toBe(30_000)
  },
)

test('a date that is past means at once', () => {
  expect(read({ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' })).toBe(0)
})

test.each(['', '-1', 'soon', '1e9', '99999999999', 'Fri, 99 Nov 2026 12:00:00 GMT'])(
  '%j says nothing',
  (value) => {
    expect(read({ 'retry-after': value })).toBeUndefined()
  },
)

test('no header says nothing', () => {
  expect(read({})).toBeUndefined()
})
