import { describe, expect, test } from 'bun:test'
import { createDrain } from './drain.ts'

/** Sleeps that last until they are ended by hand. */
function createSleeps() {
  const sleeps: { readonly ms: number; readonly end: () => void }[] = []
  return {
    sleeps,
    sleep(ms: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      sleeps.push({ ms, end: resolve })
      return promise
    },
  }
}

describe('a drain', () => {
  test('with a delay is announced at once, begins after the delay, and is over after its own time', async () => {
    const { sleeps, sleep } = createSleeps()
    const drain = createDrain(() => ({ shutdownDelayMs: 2_000, drainMs: 300_000 }), sleep)
    expect([drain.announced, drain.begun, drain.limitMs]).toEqual([false, false, 302_000])
    const begun = drain.begin()
    expect([drain.announced, drain.begun]).toEqual([true, false])
    sleeps[0]?.end()
    const { over } = await begun
    expect([drain.announced, drain.begun]).toEqual([true, true])
    sleeps[1]?.end()
    await over
    expect(sleeps.map(({ ms }) => ms)).toEqual([2_000, 300_000])
  })

  test('without a delay begins when it is announced', () => {
    const { sleep } = createSleeps()
    const drain = createDrain(() => ({ shutdownDelayMs: 0, drainMs: 300_000 }), sleep)
    void drain.begin()
    expect([drain.announced, drain.begun]).toEqual([true, true])
  })

  test('that is hurried waits for nothing', async () => {
    const { sleep } = createSleeps()
    const drain = createDrain(() => ({ shutdownDelayMs: 2_000, drainMs: 300_000 }), sleep)
    const begun = drain.begin()
    drain.hurry()
    await (
      await begun
    ).over
    expect(drain.begun).toBe(true)
  })
})
