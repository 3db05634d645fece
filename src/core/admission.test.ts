import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { replay } from '../../test/support/ledgerReplay.ts'
import { admit, extend } from './admission.ts'
import { decideCredit } from './credit.ts'
import type { KeyId, RequestId, TransferId, WorkspaceId } from './id.ts'
import { balanceEffect, type LedgerLine } from './ledger.ts'
import { CONCURRENCY_RETRY_MS, utcMonth } from './limit.ts'
import { nano, type Nano } from './money.ts'
import type { Transfer } from './ports/books.ts'
import type { Admission, HoldRequest, Limits } from './ports/till.ts'
import { release, settle } from './settlement.ts'
import { FRESH_KEY, FRESH_SPEND, type Hold, type TillState } from './tillState.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const WORKSPACE = 'ws_1' as WorkspaceId
const LIMITS: Limits = {
  workspacePerMinute: 60,
  keyPerMinute: null,
  keyPerDay: null,
  keyConcurrent: null,
  keyMonthlySpend: null,
}

function stateWith(balance: bigint, held = 0n, more: Partial<TillState> = {}): TillState {
  const workspace = { balance: nano(balance), held: nano(held), minute: undefined }
  return { workspace, key: FRESH_KEY, spend: FRESH_SPEND, ...more }
}

function admission(hold: bigint | undefined, limits: Partial<Limits> = {}): Admission {
  const base = {
    id: 'chatcmpl-1' as RequestId,
    at: NOON,
    workspaceId: WORKSPACE,
    keyId: 'key_1' as KeyId,
    limits: { ...LIMITS, ...limits },
  }
  return hold === undefined ? base : { ...base, hold: holdOf(hold, NOON + 30_000) }
}

/** Asks for exactly this much. */
function holdOf(amount: bigint, expiresAt: number): HoldRequest {
  return { prompt: nano(0n), need: nano(amount), most: nano(amount), output: 'full', expiresAt }
}

describe('admission', () => {
  test('takes the hold, the slot and the windows together', () => {
    const { verdict, state, hold, lines } = admit(stateWith(100n, 20n), admission(80n))
    expect(verdict).toMatchObject({ kind: 'admitted', rate: { remaining: 59 } })
    expect(state.workspace).toMatchObject({ balance: 100n, held: 100n, minute: { count: 1 } })
    expect(state.key).toMatchObject({ openCalls: 1, day: { count: 1 } })
    expect(state.spend).toEqual({ spent: nano(0n), held: nano(80n) })
    expect(hold).toMatchObject({ amount: 80n, month: '2026-11', expiresAt: NOON + 30_000 })
    expect(lines).toEqual([{ kind: 'hold', amount: nano(80n), balance: nano(100n) }])
  })

  test('without a hold only counts', () => {
    const { verdict, state, hold, lines } = admit(stateWith(0n), admission(undefined))
    expect(verdict.kind).toBe('admitted')
    expect(state.workspace.minute?.count).toBe(1)
    expect({ hold, lines, openCalls: state.key.openCalls }).toEqual({
      hold: undefined,
      lines: [],
      openCalls: 0,
    })
  })

  test('a hold of 0 takes a slot and a lease, and no line of the ledger', () => {
    const { verdict, state, hold, lines } = admit(stateWith(0n), admission(0n))
    expect(verdict.kind).toBe('admitted')
    expect(hold?.amount).toBe(nano(0n))
    expect(state.key.openCalls).toBe(1)
    expect(lines).toEqual([])
  })

  test('more than is available is a 402 that has counted and changed no money', () => {
    const before = stateWith(100n, 20n)
    const { verdict, state, hold, lines } = admit(before, admission(81n))
    expect(verdict).toMatchObject({
      kind: 'insufficient_balance',
      needed: 81n,
      available: 80n,
      heldByOthers: true,
    })
    expect(state.workspace).toMatchObject({ balance: 100n, held: 20n, minute: { count: 1 } })
    expect({ hold, lines, openCalls: state.key.openCalls }).toEqual({
      hold: undefined,
      lines: [],
      openCalls: 0,
    })
  })

  test('a 402 tells held money from money that is not there', () => {
    expect(admit(stateWith(100n, 20n), admission(100n)).verdict).toMatchObject({ heldByOthers: true })
    expect(admit(stateWith(100n, 20n), admission(101n)).verdict).toMatchObject({ heldByOthers: false })
  })

  test("the key's monthly spend counts what is spent and what is held", () => {
    const spend = { spent: nano(50n), held: nano(30n) }
    const limited = (hold: bigint) =>
      admit(stateWith(1_000n, 30n, { spend }), admission(hold, { keyMonthlySpend: nano(100n) })).verdict
    expect(limited(20n).kind).toBe('admitted')
    expect(limited(21n)).toMatchObject({ kind: 'spend_limit_exceeded', available: 20n, heldByOthers: true })
    expect(limited(51n)).toMatchObject({ kind: 'spend_limit_exceeded', heldByOthers: false })
  })

  test('a monthly spend lowered below what was spent leaves nothing, not less', () => {
    const spend = { spent: nano(50n), held: nano(0n) }
    const verdict = admit(
      stateWith(100n, 0n, { spend }),
      admission(1n, { keyMonthlySpend: nano(10n) }),
    ).verdict
    expect(verdict).toMatchObject({ kind: 'spend_limit_exceeded', available: 0n, heldByOthers: false })
  })

  test('a key at its limit of calls at once is refused and counted against nothing', () => {
    const before = stateWith(100n, 0n, { key: { ...FRESH_KEY, openCalls: 2 } })
    const { verdict, state } = admit(before, admission(1n, { keyConcurrent: 2 }))
    expect(verdict).toMatchObject({
      kind: 'rate_limited',
      rate: { name: 'key_concurrency', limit: 2, remaining: 0, resetAt: NOON + CONCURRENCY_RETRY_MS },
      retryAfterMs: 1_000,
    })
    expect(state).toBe(before)
    expect(admit(before, admission(undefined, { keyConcurrent: 2 })).verdict.kind).toBe('admitted')
    expect(admit(before, admission(1n, { keyConcurrent: 3 })).verdict.kind).toBe('admitted')
  })

  test('over the limit and without money is a 429 that changes nothing', () => {
    const before = stateWith(0n)
    const { verdict, state } = admit(before, admission(5n, { workspacePerMinute: 0 }))
    expect(verdict.kind).toBe('rate_limited')
    expect(state).toBe(before)
  })
})

describe('extension', () => {
  const open = admit(stateWith(100n), admission(60n, { keyMonthlySpend: nano(90n) }))
  const grow = (amount: bigint, keyMonthlySpend: Nano | null = null, hold: Hold | undefined = open.hold) =>
    extend(open.state, hold, { ...admission(undefined), amount: nano(amount), keyMonthlySpend })

  test('grows the hold as far as the balance goes', () => {
    const { verdict, state, hold, lines } = grow(40n)
    expect(verdict.kind).toBe('extended')
    expect(hold?.amount).toBe(nano(100n))
    expect(state.workspace.held).toBe(nano(100n))
    expect(state.spend.held).toBe(nano(100n))
    expect(lines).toEqual([{ kind: 'extend', amount: nano(40n), balance: nano(100n) }])
  })

  test('is refused beyond the balance or the monthly spend, and then changes nothing', () => {
    const verdict = { kind: 'refused', heldByOthers: false } as const
    expect(grow(41n)).toEqual({ verdict, state: open.state, lines: [] })
    expect(grow(31n, nano(90n)).verdict.kind).toBe('refused')
    expect(grow(30n, nano(90n)).verdict.kind).toBe('extended')
  })

  test('takes what is free where that is enough, and says where only other calls are in the way', () => {
    const part = (amount: bigint, least: bigint, keyMonthlySpend: Nano | null = null) =>
      extend(open.state, open.hold, {
        ...admission(undefined),
        amount: nano(amount),
        least: nano(least),
        keyMonthlySpend,
      }).verdict
    expect(part(100n, 40n)).toEqual({ kind: 'extended', amount: nano(40n) })
    expect(part(100n, 20n, nano(90n))).toEqual({ kind: 'extended', amount: nano(30n) })
    expect(part(100n, 41n)).toEqual({ kind: 'refused', heldByOthers: false })
    // Another call holds what is left.
    const { state } = admit(open.state, { ...admission(40n), id: 'req_2' as RequestId })
    const grow = (amount: bigint, keyMonthlySpend: Nano | null) =>
      extend(state, open.hold, { ...admission(undefined), amount: nano(amount), keyMonthlySpend }).verdict
    expect(grow(40n, null)).toEqual({ kind: 'refused', heldByOthers: true })
    expect(grow(41n, null)).toEqual({ kind: 'refused', heldByOthers: false })
    expect(grow(30n, nano(90n))).toEqual({ kind: 'refused', heldByOthers: true })
    expect(grow(31n, nano(90n))).toEqual({ kind: 'refused', heldByOthers: false })
  })

  test('of a hold that is gone says so', () => {
    const gone = extend(open.state, undefined, {
      ...admission(undefined),
      amount: nano(1n),
      keyMonthlySpend: null,
    })
    expect(gone).toEqual({ verdict: { kind: 'gone' }, state: open.state, lines: [] })
  })

  test('of a hold of 0 is its first line of the ledger', () => {
    const free = admit(stateWith(100n), admission(0n))
    const grown = extend(free.state, free.hold, {
      ...admission(undefined),
      amount: nano(5n),
      keyMonthlySpend: null,
    })
    expect(grown.lines).toEqual([{ kind: 'hold', amount: nano(5n), balance: nano(100n) }])
  })
})

/** A workspace with two keys and everything that can happen to it, decided by the core alone. */
class World {
  workspace: TillState['workspace'] = { balance: nano(0n), held: nano(0n), minute: undefined }
  readonly keys = new Map<KeyId, TillState['key']>()
  readonly spends = new Map<string, TillState['spend']>()
  readonly holds = new Map<RequestId, Hold>()
  readonly ledger: Pick<Transfer, 'kind' | 'amount' | 'balance' | 'requestId'>[] = []

  load(keyId: KeyId, month: string): TillState {
    return {
      workspace: this.workspace,
      key: this.keys.get(keyId) ?? FRESH_KEY,
      spend: this.spends.get(`${keyId} ${month}`) ?? FRESH_SPEND,
    }
  }

  store(keyId: KeyId, month: string, state: TillState, lines: readonly LedgerLine[], id: RequestId | null) {
    this.workspace = state.workspace
    this.keys.set(keyId, state.key)
    this.spends.set(`${keyId} ${month}`, state.spend)
    for (const line of lines) this.ledger.push({ ...line, requestId: id })
  }

  check() {
    const open = [...this.holds.values()]
    const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
    expect(this.workspace.held).toBe(nano(sum(open.map(({ amount }) => amount))))
    expect(this.workspace.balance >= this.workspace.held && this.workspace.held >= 0n).toBe(true)
    expect(this.workspace.balance).toBe(
      nano(sum(this.ledger.map(({ kind, amount }) => balanceEffect(kind, amount)))),
    )
    const replayed = replay(this.ledger)
    expect(replayed.balance).toBe(this.workspace.balance)
    expect(replayed.held).toBe(this.workspace.held)
    for (const [keyId, { openCalls }] of this.keys) {
      expect(openCalls).toBe(open.filter((hold) => hold.keyId === keyId).length)
    }
    for (const [name, { held }] of this.spends) {
      const own = open.filter((hold) => `${hold.keyId} ${hold.month}` === name)
      expect(held).toBe(nano(sum(own.map(({ amount }) => amount))))
    }
  }
}

type Act =
  | { readonly do: 'credit'; readonly kind: 'topup' | 'refund' | 'adjust'; readonly amount: bigint }
  | { readonly do: 'admit'; readonly key: string; readonly amount: bigint; readonly wait: number }
  | { readonly do: 'extend' | 'settle'; readonly which: number; readonly amount: bigint }
  | { readonly do: 'sweep'; readonly which: number }

const anyAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    do: fc.constant('credit' as const),
    kind: fc.constantFrom('topup', 'refund', 'adjust'),
    amount: fc.bigInt(1n, 100n),
  }),
  fc.record({
    do: fc.constant('admit' as const),
    key: fc.constantFrom('key_1', 'key_2'),
    amount: fc.bigInt(0n, 30n),
    wait: fc.nat(20_000),
  }),
  fc.record({
    do: fc.constantFrom('extend', 'settle'),
    which: fc.nat(40),
    amount: fc.bigInt(0n, 60n),
  }),
  fc.record({ do: fc.constant('sweep' as const), which: fc.nat(40) }),
)

test('law: whatever happens, held is the sum of the open holds, the ledger is the balance, a charge and its writeoff are the cost', () => {
  // Month end in the middle: a settlement belongs to the month in which its request started.
  const start = Date.parse('2026-11-30T23:59:00Z')
  const limits = { ...LIMITS, keyConcurrent: 3, keyMonthlySpend: nano(120n), workspacePerMinute: 20 }
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 80 }), (acts) => {
      const world = new World()
      const known: Hold[] = []
      let at = start
      for (const [turn, act] of acts.entries()) {
        if (act.do === 'credit') {
          const decision = decideCredit(world.workspace, undefined, {
            id: `tr_${turn}` as TransferId,
            workspaceId: WORKSPACE,
            kind: act.kind,
            amount: nano(act.amount),
            note: null,
            at,
            idempotencyKey: null,
          })
          if (decision.kind === 'posted') {
            world.workspace = decision.workspace
            world.ledger.push({ ...decision.line, requestId: null })
          }
        } else if (act.do === 'admit') {
          at += act.wait
          const keyId = act.key as KeyId
          const given: Admission = {
            id: `chatcmpl-${turn}` as RequestId,
            at,
            workspaceId: WORKSPACE,
            keyId,
            limits,
            hold: holdOf(act.amount, at + 30_000),
          }
          const before = world.load(keyId, utcMonth(at))
          const { state, hold, lines, verdict } = admit(before, given)
          world.store(keyId, utcMonth(at), state, lines, given.id)
          if (hold) {
            world.holds.set(hold.id, hold)
            known.push(hold)
          }
          expect(hold !== undefined).toBe(verdict.kind === 'admitted')
        } else {
          // May be one that is gone already.
          const once = known[act.which % Math.max(1, known.length)]
          if (!once) continue
          const { id, keyId, month } = once
          const hold = world.holds.get(id)
          const before = world.load(keyId, month)
          if (act.do === 'extend') {
            const extension = { id, at, workspaceId: WORKSPACE, keyId, amount: nano(act.amount) }
            const grown = extend(before, hold, { ...extension, keyMonthlySpend: limits.keyMonthlySpend })
            world.store(keyId, month, grown.state, grown.lines, id)
            if (grown.hold) world.holds.set(id, grown.hold)
          } else if (act.do === 'settle') {
            const others = world.workspace.held - (hold?.amount ?? 0n)
            const { state, result, lines } = settle(before, hold, nano(act.amount), null)
            world.store(keyId, month, state, lines, id)
            world.holds.delete(id)
            expect(result.charge + result.writeoff).toBe(act.amount)
            expect(result.charge <= before.workspace.balance - others).toBe(true)
            expect(result.writeoff === 0n || state.workspace.balance === nano(others)).toBe(true)
          } else if (hold) {
            const { state, lines } = release(before, hold)
            world.store(keyId, month, state, lines, id)
            world.holds.delete(id)
          }
        }
        world.check()
        for (const spend of world.spends.values()) expect(spend.spent >= 0n).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})
