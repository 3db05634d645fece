import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { createVeil, VEILED_START_LENGTH } from './veil.ts'

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

test('what could be an ordinary word is no token, and issued keys are hidden without being named', () => {
  const veil = createVeil(['admin', ''])
  expect(veil('an admin, tg_0123456789abcdef, tga_0123456789')).toBe('an admin, tg_…, tga_…')
})
