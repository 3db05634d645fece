import { describe, expect, test } from 'bun:test'
import { newKey, newWorkspace } from '../../test/contract/customer.ts'
import { rejectionOf } from '../../test/support/rejection.ts'
import { refuse } from '../core/error.ts'
import { createIdSource } from '../core/id.ts'
import { DAY_MS } from '../core/limit.ts'
import type { Key, Workspace } from '../core/ports/directory.ts'
import type { RefusalCount, RefusedCall } from '../core/ports/refusals.ts'
import { StoreUnavailable } from '../core/ports/till.ts'
import { KEPT_PER_KEY, dayOf } from '../core/refusedCalls.ts'
import { limitsOf, type Caller } from './authenticate/caller.ts'
import { WAITING_CALLS_MAX, WAITING_COUNTS_MAX, createRefusalKeeper } from './refusalKeeper.ts'
import type { Exchange } from './reply.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const NOT_FOUND = refuse('not_found', 'There is nothing.')
const ids = createIdSource(
  () => NOON,
  (bytes) => void crypto.getRandomValues(bytes),
)

function newCaller(): Caller {
  const workspace = { ...newWorkspace(), balance: 0n, held: 0n } as Workspace
  const { secretHash: _, ...made } = newKey(workspace.id)
  const key: Key = { ...made, revokedAt: null, replacedBy: null, countersId: made.id }
  return { key, workspace, limits: limitsOf({ key, workspace }) }
}

function exchangeOf(caller: Caller | undefined, more: Partial<Exchange> = {}): Exchange {
  return {
    id: ids.request('chatcmpl-'),
    rate: undefined,
    headers: {},
    caller,
    model: undefined,
    holds: false,
    ...more,
  }
}

/** A keeper whose store remembers what it is given, or fails. */
function keeperWith(failure?: Error) {
  const counts: (readonly RefusalCount[])[] = []
  const calls: (readonly RefusedCall[])[] = []
  const state = { counts, calls, lost: 0, at: NOON, failure }
  const takingIn =
    <Row>(steps: (readonly Row[])[]) =>
    async (step: readonly Row[]) => {
      steps.push(step)
      if (state.failure) throw state.failure
    }
  const keeper = createRefusalKeeper({
    refusals: { count: takingIn(counts), keep: takingIn(calls) },
    now: () => state.at,
    onLost: (count) => (state.lost += count),
    veil: (text) => text,
  })
  return Object.assign(state, {
    keeper,
    refuse: (exchange: Exchange, refusal = NOT_FOUND) => keeper.refused(exchange, refusal, () => '::1'),
    refused: () => counts.flat().reduce((sum, { refused }) => sum + refused, 0),
  })
}

describe('a refused call', () => {
  test('is stored with the next flush, with what is known of it', async () => {
    const world = keeperWith()
    const caller = newCaller()
    const exchange = exchangeOf(caller, { model: 'acme/none' })
    world.refuse(exchange)
    await world.keeper.flush()
    expect(world.calls.flat()).toMatchObject([
      {
        id: exchange.id,
        keyId: caller.key.id,
        workspaceId: caller.workspace.id,
        at: NOON,
        model: 'acme/none',
        address: '::1',
        status: 404,
      },
    ])
    await world.keeper.flush()
    expect([world.counts.length, world.calls.length]).toEqual([1, 1])
  })

  test('without a key, or with a usage record, is none', async () => {
    const world = keeperWith()
    world.refuse(exchangeOf(undefined))
    world.refuse(exchangeOf(newCaller(), { holds: true }))
    await world.keeper.flush()
    expect([world.counts, world.calls]).toEqual([[], []])
  })
})

test('refused calls are counted by key, day and code', async () => {
  const world = keeperWith()
  const caller = newCaller()
  const keyId = caller.key.id
  world.refuse(exchangeOf(caller))
  world.refuse(exchangeOf(caller), refuse('rate_limit_exceeded', 'Too many.'))
  world.refuse(exchangeOf(caller))
  world.at += DAY_MS
  world.refuse(exchangeOf(caller))
  await world.keeper.flush()
  const day = dayOf(NOON)
  expect(world.counts.flat()).toEqual([
    { keyId, day, code: 'not_found', refused: 2 },
    { keyId, day, code: 'rate_limit_exceeded', refused: 1 },
    { keyId, day: day + 1, code: 'not_found', refused: 1 },
  ])
})

describe('a flood', () => {
  test('of one key is counted, and of its calls the newest wait', async () => {
    const world = keeperWith()
    const caller = newCaller()
    const other = exchangeOf(newCaller())
    world.refuse(other)
    const exchanges = Array.from({ length: 5_000 }, () => exchangeOf(caller))
    for (const exchange of exchanges) world.refuse(exchange)
    await world.keeper.flush()
    expect(world.calls.flat().map(({ id }) => id)).toEqual(
      [other, ...exchanges.slice(-KEPT_PER_KEY)].map(({ id }) => id),
    )
    expect(world.refused()).toBe(5_001)
  })

  test('of many keys fills no more memory than the bounds, and goes to the store in small steps', async () => {
    const world = keeperWith()
    for (let i = 0; i < WAITING_COUNTS_MAX + 7; i++) world.refuse(exchangeOf(newCaller()))
    await world.keeper.flush()
    expect(world.calls.flat().length).toBe(WAITING_CALLS_MAX)
    expect(world.refused()).toBe(WAITING_COUNTS_MAX)
    expect(world.lost).toBe(7)
    for (const step of [...world.counts, ...world.calls]) expect(step.length).toBeLessThanOrEqual(100)
    world.refuse(exchangeOf(newCaller()))
    await world.keeper.flush()
    expect(world.lost).toBe(7)
    expect(world.calls.flat().length).toBe(WAITING_CALLS_MAX + 1)
  })

  test('of many keys leaves each that has a call among those that wait its newest', async () => {
    const world = keeperWith()
    const caller = newCaller()
    world.refuse(exchangeOf(caller))
    for (let i = 0; i < WAITING_CALLS_MAX; i++) world.refuse(exchangeOf(newCaller()))
    const newest = exchangeOf(caller)
    world.refuse(newest)
    await world.keeper.flush()
    expect(world.calls.flat()[0]?.id).toBe(newest.id)
    expect(world.calls.flat().length).toBe(WAITING_CALLS_MAX)
  })
})

describe('a store', () => {
  test('that is away loses what waits, which is counted, and is asked once', async () => {
    const world = keeperWith(new StoreUnavailable('away'))
    for (let i = 0; i < 300; i++) world.refuse(exchangeOf(newCaller()))
    expect(String(await rejectionOf(world.keeper.flush()))).toContain('away')
    expect([world.lost, world.counts.length, world.calls.length]).toEqual([300, 1, 0])
    world.failure = undefined
    world.refuse(exchangeOf(newCaller()))
    await world.keeper.flush()
    expect(world.lost).toBe(300)
  })

  test('that refuses one step is given the others', async () => {
    const world = keeperWith(new Error('odd'))
    for (let i = 0; i < 300; i++) world.refuse(exchangeOf(newCaller()))
    expect(String(await rejectionOf(world.keeper.flush()))).toContain('odd')
    expect([world.lost, world.counts.length, world.calls.length]).toEqual([300, 3, 3])
  })
})
