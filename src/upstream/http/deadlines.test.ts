import { expect, test } from 'bun:test'
import { type Deadline, Deadlines, TICK_MS } from './deadlines.ts'

/** A deadline that tells when it was met, and then waits for nothing more. */
function deadline(deadlines: Deadlines): Deadline & { readonly met: Promise<number> } {
  const met = Promise.withResolvers<number>()
  return {
    expiresAt: Number.POSITIVE_INFINITY,
    expire() {
      this.expiresAt = Number.POSITIVE_INFINITY
      deadlines.delete(this)
      met.resolve(performance.now())
    },
    met: met.promise,
  }
}

test('a deadline is never met early, and one that moves on is not met at its old time', async () => {
  const deadlines = new Deadlines(() => performance.now())
  const [moved, fixed] = [deadline(deadlines), deadline(deadlines)]
  deadlines.add(moved)
  deadlines.add(fixed)
  const start = performance.now()
  moved.expiresAt = deadlines.in(TICK_MS)
  fixed.expiresAt = deadlines.in(2 * TICK_MS)
  moved.expiresAt = deadlines.in(4 * TICK_MS)
  expect((await fixed.met) - start).toBeGreaterThanOrEqual(2 * TICK_MS)
  expect((await moved.met) - start).toBeGreaterThanOrEqual(4 * TICK_MS)
})

test('a process that stood still has not waited for its peers', async () => {
  const deadlines = new Deadlines(() => performance.now())
  const patient = deadline(deadlines)
  deadlines.add(patient)
  patient.expiresAt = deadlines.in(10 * TICK_MS)
  let met = false
  void patient.met.then(() => (met = true))
  Bun.sleepSync(12 * TICK_MS)
  await Bun.sleep(TICK_MS)
  expect(met).toBe(false)
  deadlines.delete(patient)
})

test('without deadlines the clock stands still', async () => {
  const deadlines = new Deadlines(() => performance.now())
  const only = deadline(deadlines)
  deadlines.add(only)
  only.expiresAt = 0
  await only.met
  const stopped = deadlines.now
  await Bun.sleep(2 * TICK_MS)
  expect(deadlines.now).toBe(stopped)
})
