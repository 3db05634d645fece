import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import {
  LIMITED_WAITS_MAX,
  LIMITED_WAIT_MS_MAX,
  PARALLEL_CALLS_MAX,
  type ParallelCallsOptions,
  createParallelCalls,
} from './parallelCalls.ts'

const LIMITED: UpstreamFailure = { kind: 'rate_limited', status: 429, detail: 'scripted' }

/** Runs calls that end as the test says, in an order of their own; gives what came of it. */
async function run(
  count: number,
  outcomeOf: (index: number, tries: number) => UpstreamFailure | undefined,
  more: Partial<ParallelCallsOptions<number>> = {},
) {
  const seen = {
    most: 0,
    started: 0,
    answers: [] as number[],
    slept: [] as number[],
    failed: undefined as unknown,
  }
  const tries = new Map<number, number>()
  let idle = 0
  const calls = createParallelCalls<number>({
    count,
    roomFor: () => PARALLEL_CALLS_MAX,
    signal: new AbortController().signal,
    async call(index) {
      seen.started += 1
      const before = tries.get(index) ?? 0
      tries.set(index, before + 1)
      for (let turn = 0; turn < (index * 7) % 5; turn++) await Promise.resolve()
      const failure = outcomeOf(index, before)
      if (failure) throw new UpstreamError(failure)
      return index
    },
    sleep: (ms) => Promise.resolve(void seen.slept.push(ms)),
    onLimited: () => undefined,
    onRunning: (running) => void (seen.most = Math.max(seen.most, running)),
    onAnswer(index, answer) {
      seen.answers[index] = answer
      calls.ended()
    },
    onFailed: (error) => void (seen.failed = error),
    ...more,
  })
  calls.start()
  while (seen.failed === undefined && (calls.running > 0 || calls.waiting > 0) && idle++ < 10_000)
    await Promise.resolve()
  return seen
}

test('however many choices are asked for, at most eight calls run at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 128 }),
      fc.integer({ min: -3, max: 20 }),
      async (count, room) => {
        const seen = await run(count, () => undefined, { roomFor: () => Math.min(room, PARALLEL_CALLS_MAX) })
        expect(seen.answers).toEqual(Array.from({ length: count }, (_, index) => index))
        expect(seen.most).toBeLessThanOrEqual(Math.max(1, Math.min(room, PARALLEL_CALLS_MAX)))
        expect(seen.started).toBe(count)
      },
    ),
  )
})

test('after the first failure no call is started', async () => {
  const failure: UpstreamFailure = { kind: 'server', detail: 'scripted' }
  const seen = await run(128, (index) => (index === 0 ? failure : undefined))
  expect(seen.failed).toBeInstanceOf(UpstreamError)
  expect(seen.started).toBeLessThan(2 * PARALLEL_CALLS_MAX)
})

test('a rate limit that others of the request have passed is waited for, as long as the provider asks', async () => {
  const seen = await run(20, (index, tries) =>
    index === 13 && tries < 2 ? { ...LIMITED, retryAfterMs: 700 } : undefined,
  )
  expect(seen.answers).toHaveLength(20)
  expect(seen.slept).toEqual([700, 700])
})

test.each([
  ['that no other call has passed', 1, () => LIMITED],
  [
    'that asks for too long',
    20,
    (index: number) => (index === 3 ? { ...LIMITED, retryAfterMs: LIMITED_WAIT_MS_MAX + 1 } : undefined),
  ],
] as const)('a rate limit %s ends the answer', async (_, count, outcomeOf) => {
  const seen = await run(count, outcomeOf)
  expect(seen.failed).toBeInstanceOf(UpstreamError)
  expect(seen.slept).toEqual([])
})

test('one request waits only so often', async () => {
  const seen = await run(128, (index) => (index % 2 === 0 ? undefined : LIMITED))
  expect(seen.failed).toBeInstanceOf(UpstreamError)
  expect(seen.slept.length).toBeLessThanOrEqual(LIMITED_WAITS_MAX)
  for (const ms of seen.slept) expect(ms).toBeLessThanOrEqual(LIMITED_WAIT_MS_MAX)
})
