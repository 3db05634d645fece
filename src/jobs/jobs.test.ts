import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { EXPIRE_RESPONSES_MS, type JobDeps, startJobs } from './jobs.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function depsWith(more: Partial<JobDeps>): JobDeps {
  const nothing = async () => 0
  return {
    tickCalls: () => undefined,
    renewLeases: async () => undefined,
    sweep: nothing,
    expireAnswers: nothing,
    expireResponses: nothing,
    forgetAnswers: nothing,
    keepRefusals: async () => undefined,
    forgetRefusals: nothing,
    keepVisits: async () => undefined,
    forgetVisits: nothing,
    now: () => 7,
    reportError: () => undefined,
    ...more,
  }
}

test('kept responses expire every ten minutes, never twice at the same time, until the jobs stop', async () => {
  const runs: number[] = []
  const first = Promise.withResolvers<number>()
  const jobs = startJobs(
    depsWith({
      expireResponses(at) {
        runs.push(at)
        return runs.length === 1 ? first.promise : Promise.resolve(0)
      },
    }),
  )
  jest.advanceTimersByTime(3 * EXPIRE_RESPONSES_MS)
  expect([EXPIRE_RESPONSES_MS, runs]).toEqual([10 * 60_000, [7]])
  first.resolve(0)
  await first.promise
  await Promise.resolve()
  await Promise.resolve()
  jest.advanceTimersByTime(EXPIRE_RESPONSES_MS)
  expect(runs).toEqual([7, 7])
  jobs.stop()
  jest.advanceTimersByTime(2 * EXPIRE_RESPONSES_MS)
  expect(runs).toEqual([7, 7])
})
