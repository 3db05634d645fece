import { describe, expect, test } from 'bun:test'
import { PER_SECOND_MAX, SPEEDS_MIN, SPEEDS_REMEMBERED, SPEED_TOKENS_MIN, createSpeed } from './speed.ts'

/** A speed that has learnt from so many answers of 1,000 tokens each, of these tokens a second in turn. */
function speedOf(count: number, ...speeds: number[]): ReturnType<typeof createSpeed> {
  const speed = createSpeed()
  for (let i = 0; i < count; i++) speed.record(1_000, 1_000_000 / (speeds[i % speeds.length] ?? 1))
  return speed
}

describe('the speed of a target', () => {
  test('is unknown until some answers have told it', () => {
    expect(speedOf(SPEEDS_MIN - 1, 50).perSecond()).toBeUndefined()
    expect(speedOf(SPEEDS_MIN, 50).perSecond()).toBeCloseTo(50)
  })

  test('is that of the most recent answers, and no single one decides it', () => {
    const speed = speedOf(SPEEDS_REMEMBERED, 50)
    speed.record(1_000, 1_000_000)
    expect(speed.perSecond()).toBeCloseTo(50)
    for (let i = 0; i < SPEEDS_REMEMBERED; i++) speed.record(1_000, 10_000)
    expect(speed.perSecond()).toBeCloseTo(100)
  })

  test('learns nothing from short answers, which mostly wait for their first token', () => {
    const speed = speedOf(SPEEDS_MIN, 50)
    for (let i = 0; i < SPEEDS_REMEMBERED; i++) speed.record(SPEED_TOKENS_MIN - 1, 60_000)
    expect(speed.perSecond()).toBeCloseTo(50)
  })

  test('is never beyond what can be, whatever the clock says', () => {
    const speed = createSpeed()
    for (const ms of [0, -5, 0.001, 1]) speed.record(8_000, ms)
    expect(speed.perSecond()).toBe(PER_SECOND_MAX)
  })
})
