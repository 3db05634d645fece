import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { createVeil, VEILED_LENGTH_MIN, VEILED_START_LENGTH } from './veil.ts'

const TOKEN = 'Correct-Horse-Battery-Staple-9876543'
const LONGER = `${TOKEN}-and-more`

test('a token is hidden wherever it is, however often', () => {
  const veil = createVeil([TOKEN])
  expect(veil(`a ${TOKEN} b${TOKEN}${TOKEN}`)).toBe('a [redacted] b[redacted][redacted]')
  expect(veil('A horse and a battery.')).toBe('A horse and a battery.')
})

test('of two tokens that begin alike nothing is left, in either order', () => {
  for (const values of [
    [TOKEN, LONGER],
    [LONGER, TOKEN],
  ])
    expect(createVeil(values)(`x${LONGER}y${TOKEN}z`)).toBe('x[redacted]y[redacted]z')
})

test('law: of a text that was cut anywhere, no more of a token is left than a few characters', () => {
  const veil = createVeil([TOKEN])
  fc.assert(
    fc.property(fc.nat(80), fc.nat(200), fc.string(), (before, cut, after) => {
      const text = `The model "${('x'.repeat(before) + TOKEN).slice(0, cut)}…" does not exist. ${after}`
      expect(veil(text)).not.toContain(TOKEN.slice(0, VEILED_START_LENGTH))
    }),
  )
})

test('law: of values that overlap, each other or themselves, nothing is left', () => {
  const letters = (lengths: { minLength: number; maxLength: number }) =>
    fc.string({ unit: fc.constantFrom('a', 'b'), ...lengths })
  const value = letters({ minLength: VEILED_LENGTH_MIN, maxLength: 14 })
  fc.assert(
    fc.property(value, value, letters({ minLength: 0, maxLength: 40 }), (one, other, around) => {
      const text = around.slice(0, 20) + one + other.slice(3) + around.slice(20)
      const left = createVeil([one, other])(text).replaceAll('[redacted]', '')
      expect(left.length).toBeLessThanOrEqual(text.length - lettersOf(text, [one, other]))
    }),
  )
})

/** How many letters of the text are of one of the values. */
function lettersOf(text: string, values: readonly string[]): number {
  const letters = Array.from(text, (_letter, at) =>
    values.some((value) => {
      const first = Math.max(0, at - value.length + 1)
      return text.slice(first, at + value.length).includes(value)
    }),
  )
  return letters.filter(Boolean).length
}

const BREAKS = ['\u200b', '\ufeff', '\u00ad', '\u2060', '\u200d', '\u2028', '\0', ' ', '\\ufeff', '%E2%80%8B']
test.each(BREAKS.map((breaks) => [encodeURIComponent(breaks), breaks] as const))(
  'a token that is broken is hidden whole, as is one that was issued: %s',
  (_, breaks) => {
    const veil = createVeil([TOKEN])
    const issued = `tga_${'0123456789ABC'.repeat(4)}`
    for (const token of [TOKEN, issued]) {
      for (let at = 1; at < token.length; at++) {
        const clean = veil(`a ${token.slice(0, at)}${breaks}${token.slice(at)}.`)
        expect(clean.replaceAll(' ', '')).toBe(token === TOKEN ? 'a[redacted].' : 'atga_….')
      }
    }
  },
)

test('words beside a token keep their blanks, and a text without one its invisible characters', () => {
  const veil = createVeil([TOKEN])
  expect(veil(`The model "${TOKEN}" is not there.`)).toBe('The model "[redacted]" is not there.')
  expect(veil('The key tg_0123456789 is not there.')).toBe('The key tg_… is not there.')
  expect(veil('so\u00adft, and no token')).toBe('so\u00adft, and no token')
})

test('a token is hidden in every form that is named', () => {
  const token = 'qY3/9vK+Lm0aZ7=x81sTgWcRd=='
  const veil = createVeil([token], (value) => [value, encodeURIComponent(value)])
  expect(veil(`There is no endpoint /v1/${encodeURIComponent(token)}.`)).toBe(
    'There is no endpoint /v1/[redacted].',
  )
})

test('what could be an ordinary word is no token, and issued keys are hidden without being named', () => {
  const veil = createVeil(['admin', ''])
  expect(veil('an admin, tg_0123456789abcdef, tga_0123456789')).toBe('an admin, tg_…, tga_…')
})
