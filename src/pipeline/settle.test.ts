import { expect, test } from 'bun:test'
import type { RequestId } from '../core/id.ts'
import { nano } from '../core/money.ts'
import { StoreUnavailable } from '../core/ports/till.ts'
import type { PipelineDeps } from './deps.ts'
import type { PricedOutcome } from './outcome.ts'
import { commit, commitLater, SETTLEMENT_PATIENCE_MS } from './settle.ts'
import { callerWith } from './testPlan.ts'
import { rejectionOf } from '../../test/support/rejection.ts'

test('of all the delays of a call one is its first, and each end of patience is one loss', async () => {
  const away = new StoreUnavailable('gone')
  const delays: { first: boolean; lost: boolean }[] = []
  let now = 0
  const over = Promise.withResolvers<void>()
  const deps = {
    store: { till: { settle: () => Promise.reject(away) } },
    events: {
      settlementDelayed({ first, lost }: { first: boolean; lost: boolean }) {
        delays.push({ first, lost })
        if (delays.filter((delay) => delay.lost).length === 2) setImmediate(over.resolve)
      },
    },
    now: () => now,
    sleep(ms: number) {
      now += ms
      return Promise.resolve()
    },
  } as unknown as PipelineDeps
  const admitted = {
    id: 'chatcmpl-1' as RequestId,
    caller: callerWith(),
    startedAt: 0,
    held: nano(1n),

    affordable: nano(1_000n),

    coversMost: true,
    extend: () => Promise.resolve(true),
  }
  const priced = { cost: nano(1n), record: {}, usageSource: 'reported' } as unknown as PricedOutcome

  const committed = commit(priced, admitted, deps, { patienceMs: SETTLEMENT_PATIENCE_MS })
  expect(await rejectionOf(committed)).toBe(away)
  commitLater(priced, admitted, deps)
  await over.promise
  expect(delays.length).toBeGreaterThan(300)
  expect(delays.filter(({ first }) => first)).toEqual([{ first: true, lost: false }])
  expect(delays[0]).toEqual({ first: true, lost: false })
  expect(delays.filter(({ lost }) => lost)).toHaveLength(2)
})
