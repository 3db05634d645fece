import { describe, expect, test } from 'bun:test'
import { newKey, newWorkspace } from '../../test/contract/customer.ts'
import { rejectionOf } from '../../test/support/rejection.ts'
import { refuse } from '../core/error.ts'
import { createIdSource } from '../core/id.ts'
import type { Key, Workspace } from '../core/ports/directory.ts'
import type { RefusedOfKey } from '../core/ports/refusals.ts'
import { StoreUnavailable } from '../core/ports/till.ts'
import { KEPT_PER_MINUTE } from '../core/refusedCalls.ts'
import { limitsOf, type Caller } from './authenticate/caller.ts'
import { COUNTED_KEYS_MAX, WAITING_CALLS_MAX, createRefusalKeeper } from './refusalKeeper.ts'
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
    id: ids.completion(),
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
  const steps: (readonly RefusedOfKey[])[] = []
  const state = { steps, lost: 0, at: NOON, failure }
  const keeper = createRefusalKeeper({
    refusals: {
      async keep(step) {
        steps.push(step)
        if (state.failure) throw state.failure
      },
    },
    now: () => state.at,
    onLost: (count) => (state.lost += count),
  })
  return Object.assign(state, {
    keeper,
    refuse: (exchange: Exchange) => keeper.refused(exchange, NOT_FOUND, () => '::1'),
  })
}

const rowsIn = (steps: readonly (readonly RefusedOfKey[])[]) => steps.flat().flatMap(({ calls }) => calls)
const countIn = (steps: readonly (readonly RefusedOfKey[])[]) =>
  steps.flat().reduce((sum, { refused }) => sum + refused, 0)

describe('a refused call', () => {
  test('is stored with the next flush, with what is known of it', async () => {
    const world = keeperWith()
    const caller = newCaller()
    const exchange = exchangeOf(caller, { model: 'acme/none' })
    world.refuse(exchange)
    await world.keeper.flush()
    expect(rowsIn(world.steps)).toMatchObject([
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
    expect(world.steps.length).toBe(1)
  })

  test('without a key, or with a usage record, is none', async () => {
    const world = keeperWith()
    world.refuse(exchangeOf(undefined))
    world.refuse(exchangeOf(newCaller(), { holds: true }))
    await world.keeper.flush()
    expect(world.steps).toEqual([])
  })
})

describe('a flood', () => {
  test('of one key is counted and not looked at: no more of it waits than is kept in a minute', async () => {
    const world = keeperWith()
    const caller = newCaller()
    let asked = 0
    for (let i = 0; i < 5_000; i++) world.keeper.refused(exchangeOf(caller), NOT_FOUND, () => String(asked++))
    await world.keeper.flush()
    for (let i = 0; i < 50; i++) world.refuse(exchangeOf(caller))
    await world.keeper.flush()
    expect({ asked, rows: rowsIn(world.steps).length }).toEqual({
      asked: KEPT_PER_MINUTE,
      rows: KEPT_PER_MINUTE,
    })
    expect(countIn(world.steps)).toBe(5_050)
    world.at += 60_000
    world.refuse(exchangeOf(caller))
    await world.keeper.flush()
    expect(rowsIn(world.steps).length).toBe(KEPT_PER_MINUTE + 1)
  })

  test('of many keys fills no more memory than the bounds, and goes to the store in small steps', async () => {
    const world = keeperWith()
    for (let i = 0; i < COUNTED_KEYS_MAX + 7; i++) world.refuse(exchangeOf(newCaller()))
    await world.keeper.flush()
    expect(rowsIn(world.steps).length).toBe(WAITING_CALLS_MAX)
    expect(countIn(world.steps)).toBe(COUNTED_KEYS_MAX)
    expect(world.lost).toBe(7)
    for (const step of world.steps) expect(step.length).toBeLessThanOrEqual(100)
    // Quiet keys make room when their minute is over.
    world.at += 60_000
    await world.keeper.flush()
    world.refuse(exchangeOf(newCaller()))
    await world.keeper.flush()
    expect(world.lost).toBe(7)
  })
})

describe('a store', () => {
  test('that is away loses what waits, which is counted, and is asked once', async () => {
    const world = keeperWith(new StoreUnavailable('away'))
    for (let i = 0; i < 300; i++) world.refuse(exchangeOf(newCaller()))
    expect(String(await rejectionOf(world.keeper.flush()))).toContain('away')
    expect({ lost: world.lost, asked: world.steps.length }).toEqual({ lost: 300, asked: 1 })
    world.failure = undefined
    world.refuse(exchangeOf(newCaller()))
    await world.keeper.flush()
    expect(world.lost).toBe(300)
  })

  test('that refuses one step is given the others', async () => {
    const world = keeperWith(new Error('odd'))
    for (let i = 0; i < 300; i++) world.refuse(exchangeOf(newCaller()))
    expect(String(await rejectionOf(world.keeper.flush()))).toContain('odd')
    expect({ lost: world.lost, asked: world.steps.length }).toEqual({ lost: 300, asked: 3 })
  })
})
