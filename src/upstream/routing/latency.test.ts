import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { MEASURE_LIFE_MS, SAMPLES_MAX, createLatency } from './latency.ts'

const NOON = Date.UTC(2026, 10, 20, 12)

test('what was never measured has no value', () => {
  const latency = createLatency()
  expect(latency.typical(NOON)).toBeUndefined()
  expect(latency.percentiles(NOON)).toBeUndefined()
})

test('the typical value lies among the samples and moves towards the newest', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 300 }),
      (samples) => {
        const latency = createLatency()
        for (const ms of samples) {
          const before = latency.typical(NOON) ?? ms
          latency.record(ms, NOON)
          const after = latency.typical(NOON) ?? Number.NaN
          expect(Math.abs(after - ms)).toBeLessThanOrEqual(Math.abs(before - ms))
        }
        const typical = latency.typical(NOON) ?? Number.NaN
        expect(typical).toBeGreaterThanOrEqual(Math.min(...samples) - 1e-6)
        expect(typical).toBeLessThanOrEqual(Math.max(...samples) + 1e-6)
      },
    ),
  )
})

test('percentiles are samples, in order, of the last so many', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 300 }),
      (samples) => {
        const latency = createLatency()
        for (const ms of samples) latency.record(ms, NOON)
        const last = samples.slice(-SAMPLES_MAX)
        const found = latency.percentiles(NOON)
        expect(found?.samples).toBe(last.length)
        const { p50 = 0, p90 = 0, p99 = 0 } = found ?? {}
        for (const value of [p50, p90, p99]) expect(last).toContain(value)
        expect(p50).toBeLessThanOrEqual(p90)
        expect(p90).toBeLessThanOrEqual(p99)
        expect(last.filter((ms) => ms <= p90).length).toBeGreaterThanOrEqual(last.length * 0.9)
      },
    ),
  )
})

test('old measurements say nothing about now', () => {
  const latency = createLatency()
  latency.record(100, NOON)
  expect(latency.typical(NOON + MEASURE_LIFE_MS)).toBe(100)
  expect(latency.typical(NOON + MEASURE_LIFE_MS + 1)).toBeUndefined()
  expect(latency.percentiles(NOON + MEASURE_LIFE_MS + 1)).toBeUndefined()
  latency.record(900, NOON + 2 * MEASURE_LIFE_MS)
  expect(latency.typical(NOON + 2 * MEASURE_LIFE_MS)).toBe(900)
})
