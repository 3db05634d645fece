import { expect, test } from 'bun:test'
import type { RequestId } from '../core/id.ts'
import { nano } from '../core/money.ts'
import type { Settlement } from '../core/ports/till.ts'
import { testRoute } from '../../test/support/testRoute.ts'
import type { HeldCall } from './call.ts'
import type { PipelineDeps } from './deps.ts'
import { createLiveCalls } from './liveCalls.ts'
import { createOutstandingSettlements } from './settle/outstanding.ts'
import { openCall } from './openCall.ts'
import type { Outcome } from './settle/outcome.ts'
import type { Plan } from './plan/plan.ts'
import { CHAT, NOON, callerWith, planOf } from '../../test/support/testPlan.ts'

const FAULT = new TypeError('nobody foresaw this')

function fail(): never {
  throw FAULT
}

/** A call that sent its prompt, with parts of the gateway that throw. */
function callWith(broken: Partial<Record<'count' | 'router' | 'conversation', true>>, plan = planOf({})) {
  const settlements: Settlement[] = []
  const faults: string[] = []
  const calls = createLiveCalls(fail)
  const deps = {
    tokens: {
      estimatePrompt: () => 0,
      count: () => (broken.count ? Promise.reject(FAULT) : Promise.resolve(3)),
    },
    router: { ended: () => (broken.router ? fail() : undefined) },
    store: {
      till: {
        settle(settlement: Settlement) {
          settlements.push(settlement)
          return Promise.resolve({ charge: settlement.cost, writeoff: nano(0n), balance: nano(0n) })
        },
      },
    },
    events: {
      conversation: () => (broken.conversation ? fail() : undefined),
      settled: () => undefined,
      gatewayFailed: ({ at }: { at: string }) => void faults.push(at),
    },
    calls,
    outstanding: createOutstandingSettlements(),
    veil: (text: string) => text,
    now: () => NOON,
  } as unknown as PipelineDeps
  const admitted = {
    id: 'chatcmpl-1' as RequestId,
    caller: callerWith(),
    startedAt: NOON,
    held: nano(1_000n),
    affordable: nano(1_000n),
    coversMost: true,
    extend: () => Promise.resolve({ kind: 'gone' as const }),
  }
  let over = 0
  const caller = new AbortController()
  const bodies = { open: () => ({ bytes: 0, release: () => void (over += 1) }) }
  const start = {
    exchange: {},
    incoming: { signal: caller.signal },
    caller: callerWith(),
    deps: { ...deps, bodies },
  }
  const call = openCall(start as never).hold(plan, admitted)
  call.log.sent = 1
  call.log.sentBytes = 4_000
  return { call, settlements, faults, calls, over: () => over, hangUp: () => caller.abort() }
}

/** A plan whose model's prices cannot be read. */
function planWithoutPrices(): Plan {
  const plan = planOf({})
  return { ...plan, model: Object.defineProperty({ ...plan.model }, 'prices', { get: fail }) }
}

function outcomeWith(generatedText: () => string): Outcome {
  const response = { choices: [] } as never
  const answer = {
    route: testRoute({ name: 'a', model: CHAT }),
    body: { kind: 'whole' as const, response },
    sentAt: NOON,
    firstEventAt: NOON,
    calls: 1,
    limit: undefined,
    credential: undefined,
    isLimited: false,
  }
  return { ending: 'completed', status: 200, answer, reported: undefined, generatedText }
}

async function settle(call: HeldCall, outcome: Outcome): Promise<void> {
  await call.settle(await call.price(outcome))
}

test('a count that throws makes no call free: it is charged by the estimate, and its fault is told', async () => {
  const { call, settlements, faults, calls, over } = callWith({ count: true })
  await settle(
    call,
    outcomeWith(() => 'hello world '.repeat(10)),
  )
  const [settlement] = settlements
  expect(settlement?.record).toMatchObject({ ending: 'completed', usageSource: 'estimated' })
  expect(settlement?.record.usage.promptTokens).toBe(1_000)
  expect(settlement?.record.usage.completionTokens).toBeGreaterThan(15)
  expect(settlement?.cost).toBeGreaterThan(0n)
  expect(faults).toEqual(['pricing'])
  expect([calls.size, over()]).toEqual([0, 1])
})

test('the estimate has no more text than was sent', async () => {
  const { call, settlements } = callWith({ count: true })
  call.log.sentBytes = 176
  await settle(
    call,
    outcomeWith(() => 'hello'),
  )
  expect(settlements[0]?.record.usage.promptTokens).toBe(176)
})

test('the estimate has the reasoning that nobody saw, as the count has', async () => {
  for (const broken of [{}, { count: true }] as const) {
    const { call, settlements } = callWith(broken)
    const seen = outcomeWith(() => 'hello')
    const unseen = { tokens: 600, isReasoning: true, outputMost: 500 }
    await settle(call, { ...seen, ending: 'client_left', unseen })
    const { usage, usageSource } = settlements[0]?.record ?? {}
    expect([usage?.completionTokens, usageSource]).toEqual([500, 'estimated'])
    expect(usage?.reasoningTokens).toBeWithin(490, 500)
  }
})

test('where the estimate throws too, the call is free and over', async () => {
  const { call, settlements, faults, calls, over } = callWith({})
  await settle(call, outcomeWith(fail))
  expect(settlements.map(({ cost, record }) => [cost, record.ending])).toEqual([[nano(0n), 'gateway_failed']])
  expect(faults).toEqual(['pricing', 'pricing'])
  expect([calls.size, over()]).toEqual([0, 1])
})

test('a fault of ours in an answer is free, also when its caller has left', async () => {
  const { call, settlements, hangUp } = callWith({})
  const attempt = { provider: 'a', upstreamModel: 'm', startedAt: NOON, endedAt: NOON }
  call.log.attempts.push({ ...attempt, outcome: 'answered' })
  hangUp()
  await call.fail(FAULT)
  expect(settlements.map(({ cost, record }) => [cost, record.ending])).toEqual([[nano(0n), 'gateway_failed']])
})

test('who hears of an outcome cannot keep the call from being settled', async () => {
  for (const broken of [{ router: true }, { conversation: true }] as const) {
    const { call, settlements, faults, calls, over } = callWith(broken)
    await settle(
      call,
      outcomeWith(() => 'hello'),
    )
    expect(settlements[0]?.record).toMatchObject({ ending: 'completed', usage: { promptTokens: 3 } })
    expect(faults).toEqual(['report'])
    expect([calls.size, over()]).toEqual([0, 1])
  }
})

test('a call that cannot even be priced as free is over, and its hold ends with its lease', async () => {
  const { call, settlements, faults, calls, over } = callWith({}, planWithoutPrices())
  await call.fail(FAULT)
  expect(settlements).toEqual([])
  expect(faults).toEqual(['pricing', 'pricing', 'settlement'])
  expect([calls.size, over()]).toEqual([0, 1])
})

test('a call is settled once, whatever settles it', async () => {
  const { call, settlements, faults, over } = callWith({})
  const priced = await call.price(outcomeWith(() => 'hello'))
  await call.settle(priced)
  await call.fail(FAULT)
  expect(faults).toEqual([])
  expect(call.settle(priced)).rejects.toThrow('settled once')
  expect(call.settleUnwatched(priced)).rejects.toThrow('settled once')
  expect(settlements).toHaveLength(1)
  expect(over()).toBe(1)
})
