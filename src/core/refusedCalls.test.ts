import { describe, expect, test } from 'bun:test'
import { refuse } from './error.ts'
import { createIdSource, type KeyId } from './id.ts'
import { MINUTE_MS } from './limit.ts'
import type { RefusedCall } from './ports/refusals.ts'
import { KEPT_PER_MINUTE, decideKept, describeRefusal } from './refusedCalls.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const keyId = 'key_1' as KeyId
const ids = createIdSource(
  () => NOON,
  (bytes) => void crypto.getRandomValues(bytes),
)

function callsAt(at: number, count: number): RefusedCall[] {
  return Array.from({ length: count }, () => ({
    id: ids.completion(),
    workspaceId: ids.workspace(),
    keyId,
    at,
    ...describeRefusal(refuse('not_found', 'There is nothing.'), { model: undefined, address: null }),
  }))
}

describe('what is kept of a refusal', () => {
  const told = (message: string, model?: string) =>
    describeRefusal(refuse('model_not_found', message, { param: 'model' }), { model, address: '::1' })

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

describe('of the refused calls of a key', () => {
  const batch = (calls: RefusedCall[], refused = calls.length) => ({
    keyId,
    at: calls.at(-1)?.at ?? NOON,
    refused,
    calls,
  })

  test('no more are kept in a minute than the bound, over any number of steps; all are counted', () => {
    const first = decideKept(undefined, batch(callsAt(NOON, 15)))
    const second = decideKept(first.count, batch(callsAt(NOON + 1_000, 15), 400))
    const third = decideKept(second.count, batch(callsAt(NOON + MINUTE_MS, 30)))
    expect([first, second, third].map(({ calls }) => calls.length)).toEqual([15, 5, KEPT_PER_MINUTE])
    expect(third.count.refused).toBe(15 + 400 + 30)
  })

  test('those of a clock that is behind count for the minute that is open', () => {
    const ahead = decideKept(undefined, batch(callsAt(NOON + MINUTE_MS, 18)))
    expect(decideKept(ahead.count, batch(callsAt(NOON, 5))).calls.length).toBe(2)
  })
})
