import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Json } from './json.ts'
import { createJsonScan, scanJsonText } from './jsonScan.ts'

const ANY = Number.MAX_SAFE_INTEGER
const ENDLESS = { depthMax: ANY, valuesMax: ANY, digitsMax: ANY }

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

/** How many values the scan's own words count: each container, and each item beyond its first. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const items = Object.values(value)
  return 1 + Math.max(0, items.length - 1) + items.reduce((sum: number, item) => sum + valuesOf(item), 0)
}

/** Texts in which every character that means something to the scan is frequent. */
const nasty = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', 'a', 'ü', '你', ' ') })
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    nasty,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(nasty, tie('value'), { maxKeys: 5 }),
  ),
})).value

describe('any JSON', () => {
  test('is within exactly its own depth and number of values', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value)
        const [depth, values] = [depthOf(value), valuesOf(value)]
        expect(scanJsonText(text, { ...ENDLESS, depthMax: depth, valuesMax: values })).toBeUndefined()
        if (depth === 0) return
        expect(scanJsonText(text, { ...ENDLESS, depthMax: depth - 1, valuesMax: ANY })).toBe('too_deep')
        expect(scanJsonText(text, { ...ENDLESS, depthMax: ANY, valuesMax: values - 1 })).toBe(
          'too_many_values',
        )
      }),
    )
  })

  test('is the same in pieces of any size', () => {
    fc.assert(
      fc.property(json, fc.array(fc.nat({ max: 40 })), fc.nat({ max: 4 }), fc.nat({ max: 8 }), (...given) => {
        const [value, sizes, depthMax, valuesMax] = given
        const bytes = new TextEncoder().encode(JSON.stringify(value))
        const whole = createJsonScan({ ...ENDLESS, depthMax, valuesMax }).push(bytes)
        const scan = createJsonScan({ ...ENDLESS, depthMax, valuesMax })
        let split: ReturnType<typeof scan.push>
        let at = 0
        for (const size of [...sizes, bytes.length]) {
          split ??= scan.push(bytes.subarray(at, at + size))
          at += size
        }
        expect(split).toBe(whole)
      }),
    )
  })
})

describe('strings longer than a look', () => {
  const bounds = { ...ENDLESS, depthMax: 1, valuesMax: 2 }
  const long = 'x'.repeat(100)

  test.each([
    ['plain', `["${long}[[[",1]`],
    ['with an escaped quote far inside', `["${long}\\"[[[",1]`],
    ['with an escaped backslash at its end', `["${long}[[[\\\\",1]`],
    ['of backslashes', `["${'\\\\'.repeat(100)}[[",1]`],
    ['of escaped quotes', `["${'\\"['.repeat(100)}",1]`],
  ])('%s: their brackets count for nothing', (_, text) => {
    expect(JSON.parse(text)).toHaveLength(2)
    expect(scanJsonText(text, bounds)).toBeUndefined()
    expect(scanJsonText(`${text.slice(0, -1)},[]]`, { ...bounds, valuesMax: ANY })).toBe('too_deep')
  })
})

test('an empty piece changes nothing, behind a backslash either', () => {
  const scan = createJsonScan({ ...ENDLESS, depthMax: 1 })
  const pieces = ['["\\', '', '"[[["]'].map((piece) => new TextEncoder().encode(piece))
  expect(pieces.map((piece) => scan.push(piece))).toEqual([undefined, undefined, undefined])
})

test('a number is refused by its first thousand bytes, in pieces too; blanks and words in strings are not', () => {
  const bounds = { ...ENDLESS, digitsMax: 1_000 }
  const bytes = new TextEncoder().encode(`{"a":0.${'9'.repeat(2_000)}`)
  expect(createJsonScan(bounds).push(bytes)).toBe('too_long_number')
  const scan = createJsonScan(bounds)
  expect([scan.push(bytes.subarray(0, 600)), scan.push(bytes.subarray(600))]).toEqual([
    undefined,
    'too_long_number',
  ])
  const numbers = `[${'1234567890,'.repeat(1_000)}1]`
  for (const text of [numbers, JSON.stringify([1, [2]], null, 5_000), `"${'9'.repeat(2_000)}"`]) {
    expect(scanJsonText(text, bounds)).toBeUndefined()
  }
})

test('32 MiB of opening brackets are refused by their first bytes', () => {
  const scan = createJsonScan({ ...ENDLESS, depthMax: 128, valuesMax: 100_000 })
  expect(scan.push(new Uint8Array(129).fill(0x5b))).toBe('too_deep')
})
