import { expect, test } from 'bun:test'
import type { RequestId } from '../../core/id.ts'
import { nano } from '../../core/money.ts'
import { type SettlementResult, StoreUnavailable } from '../../core/ports/till.ts'
import type { Admitted } from '../admit/admitted.ts'
import type { PipelineDeps, PipelineEvents } from '../deps.ts'
import type { PricedOutcome } from './outcome.ts'
import { createOutstandingSettlements } from './outstanding.ts'
import { settle } from './settle.ts'
import { callerWith } from '../../../test/support/testPlan.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'

const admitted: Admitted = {
  id: 'chatcmpl-1' as RequestId,
  caller: callerWith(),
  startedAt: 0,
  held: nano(1n),
  affordable: nano(1_000n),
  coversMost: true,
  extend: (amount) => Promise.resolve({ kind: 'extended', amount }),
}

test('of all the delays of a call one is its first, and one that nobody waits for any longer is not given up yet', async () => {
  const away = new StoreUnavailable('gone')
  const delays: { first: boolean; lost: boolean }[] = []
  let now = 0
  const over = Promise.withResolvers<void>()
  const deps = {
    store: { till: { settle: () => Promise.reject(away) } },
    events: {
      settlementDelayed({ first, lost }: { first: boolean; lost: boolean }) {
        delays.push({ first, lost })
        if (lost) setImmediate(over.resolve)
      },
    },
    outstanding: createOutstandingSettlements(),
    veil: (text: string) => text,
    now: () => now,
    sleep(ms: number) {
      now += ms
      return Promise.resolve()
    },
  } as unknown as PipelineDeps
  const priced = { cost: nano(1n), record: {}, usageSource: 'reported' } as unknown as PricedOutcome

  expect(await rejectionOf(settle(priced, { admitted, deps }, 'waits'))).toBe(away)
  expect(delays.filter(({ lost }) => lost)).toHaveLength(0)
  await over.promise
  expect(delays.length).toBeGreaterThan(300)
  expect(delays.filter(({ first }) => first)).toEqual([{ first: true, lost: false }])
  expect(delays[0]).toEqual({ first: true, lost: false })
  expect(delays.filter(({ lost }) => lost)).toHaveLength(1)
})

test('a fault in saying why part of a charge was written off undoes no settlement and leaves nothing uncounted', async () => {
  const result: SettlementResult = { charge: nano(2n), writeoff: nano(3n), balance: nano(0n) }
  const fault = new Error('planted')
  const told: unknown[] = []
  const events: Pick<PipelineEvents, 'settled' | 'gatewayFailed'> = {
    settled: ({ writeoff }) => void told.push(writeoff),
    gatewayFailed: ({ at, cause }) => void told.push([at, cause]),
  }
  const deps = {
    store: { till: { settle: () => Promise.resolve(result) } },
    events,
    outstanding: createOutstandingSettlements(),
    veil: (text: string) => text,
    now: () => 0,
  } as unknown as PipelineDeps
  const overrun = (): never => {
    throw fault
  }
  const priced = { cost: nano(5n), record: {}, usageSource: 'reported', overrun } as unknown as PricedOutcome
  await settle(priced, { admitted, deps }, 'waits')
  expect(told).toEqual([['report', fault], { amount: nano(3n), cause: 'unseen_output' }])
})
