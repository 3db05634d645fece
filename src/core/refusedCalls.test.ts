import { describe, expect, test } from 'bun:test'
import { refuse } from './error.ts'
import { createIdSource } from './id.ts'
import { describeRefusal } from './refusedCalls.ts'
import { createVeil } from './veil.ts'

const ids = createIdSource(
  () => Date.UTC(2026, 10, 20, 12),
  (bytes) => void crypto.getRandomValues(bytes),
)

describe('what is kept of a refusal', () => {
  const told = (message: string, model?: string) =>
    describeRefusal(
      refuse('model_not_found', message, { param: 'model' }),
      { model, address: '::1' },
      createVeil([]),
    )

  test('is what the caller was told', () => {
    expect(told('The model "a" does not exist.', 'a')).toEqual({
      status: 404,
      code: 'model_not_found',
      message: 'The model "a" does not exist.',
      param: 'model',
      model: 'a',
      address: '::1',
    })
  })

  test('is bounded, and no pair is cut in two', () => {
    for (const unit of ['x', '\u{1F600}', 'é']) {
      for (const shift of ['', 'y']) {
        const { message, model } = told(shift + unit.repeat(5_000), shift + unit.repeat(5_000))
        expect(message.length).toBeLessThanOrEqual(1_000)
        expect(model?.length).toBeLessThanOrEqual(256)
        expect(message.isWellFormed() && model?.isWellFormed()).toBe(true)
        expect(message).toEndWith('…')
      }
    }
  })

  test('has no control characters, no marks that turn text, no halves of pairs', () => {
    const { message, model } = told('a\u0000b\u001b[31mc\u202ed\u2028e', 'm\ud800\n')
    expect(message).toBe('a b [31mc d e')
    expect(model).toBe('m\ufffd ')
  })

  test("has no key's secret, whole or cut, whatever quotes it", () => {
    const secret = ids.secret()
    const quoted = `The model "${secret}" does not exist.`
    expect(told(quoted, secret)).toMatchObject({ message: 'The model "tg_…" does not exist.', model: 'tg_…' })
    const long = told(quoted.padStart(1_040), secret)
    expect(long.message).not.toContain(secret.slice(0, 9))
    const late = told('x'.repeat(1_999 - 9) + secret, 'x'.repeat(250) + secret)
    expect(JSON.stringify(late)).not.toContain(secret.slice(3, 9))
  })
})
