import { expect, test } from 'bun:test'
import { PATIENCE_MS, TIMEOUT_DEFAULTS, timeoutsInForce } from './timeouts.ts'

test('what the configuration does not name has its default, and patience where a model works out of sight', () => {
  expect(timeoutsInForce({})).toEqual({
    usual: TIMEOUT_DEFAULTS,
    patient: {
      ...TIMEOUT_DEFAULTS,
      firstByteMs: PATIENCE_MS,
      firstEventMs: PATIENCE_MS,
      idleMs: PATIENCE_MS,
    },
  })
})

test('what it names holds for every model', () => {
  const { usual, patient } = timeoutsInForce({ firstByteMs: 7_000, idleMs: 8_000, wholeMs: 9_000 })
  expect(usual).toEqual({ ...TIMEOUT_DEFAULTS, firstByteMs: 7_000, idleMs: 8_000, wholeMs: 9_000 })
  expect(patient).toMatchObject({ firstByteMs: 7_000, firstEventMs: PATIENCE_MS, idleMs: 8_000 })
})

test('a file that names the first event alone waits as long for the first byte', () => {
  const { usual, patient } = timeoutsInForce({ firstEventMs: 180_000 })
  for (const each of [usual, patient])
    expect(each).toMatchObject({ firstByteMs: 180_000, firstEventMs: 180_000 })
})

test("a server on the operator's own machine may always take its time", () => {
  const { usual, patient } = timeoutsInForce({}, true)
  expect(usual).toEqual(patient)
})
