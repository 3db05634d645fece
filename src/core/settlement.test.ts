import { describe, expect, test } from 'bun:test'
import { nano } from './money.ts'
import { billFor, settle, excessOutput } from './settlement.ts'
import { FRESH_KEY, FRESH_SPEND, type Hold, type TillState } from './tillState.ts'
import type { KeyId, RequestId, WorkspaceId } from './id.ts'
import { NO_USAGE } from './usage.ts'

const HOLD: Hold = {
  id: 'chatcmpl-1' as RequestId,
  workspaceId: 'ws_1' as WorkspaceId,
  keyId: 'key_1' as KeyId,
  amount: nano(30n),
  month: '2026-11',
  expiresAt: 0,
}

/** A workspace in which one call holds 30 and others hold the rest of `held`. */
function during(balance: bigint, held: bigint): TillState {
  return {
    workspace: { balance: nano(balance), held: nano(held), minute: { openedAt: 1, count: 2 } },
    key: { ...FRESH_KEY, openCalls: 1 },
    spend: { spent: nano(5n), held: nano(30n) },
  }
}

describe('settlement', () => {
  test('gives the hold back and charges what it cost', () => {
    const { result, released, state, lines } = settle(during(100n, 50n), HOLD, nano(12n), null)
    expect(result).toEqual({ charge: nano(12n), writeoff: nano(0n), balance: nano(88n) })
    expect(released).toBe(nano(30n))
    expect(state.workspace).toEqual({
      balance: nano(88n),
      held: nano(20n),
      minute: { openedAt: 1, count: 2 },
    })
    expect(state.key.openCalls).toBe(0)
    expect(state.spend).toEqual({ spent: nano(17n), held: nano(0n) })
    expect(lines).toEqual([
      { kind: 'release', amount: nano(30n), balance: nano(100n) },
      { kind: 'charge', amount: nano(12n), balance: nano(88n) },
    ])
  })

  test('a cost above the hold is charged as far as other holds are not touched, the rest is written off', () => {
    const { result, state, lines } = settle(during(100n, 50n), HOLD, nano(95n), null)
    expect(result).toEqual({ charge: nano(80n), writeoff: nano(15n), balance: nano(20n) })
    expect(state.workspace).toMatchObject({ balance: 20n, held: 20n })
    expect(lines.at(-1)).toEqual({ kind: 'writeoff', amount: nano(15n), balance: nano(20n) })
  })

  test("a cost above the hold never takes the key's month beyond its limit", () => {
    const state = during(1_000n, 50n)
    // 5 spent and 25 held by another call of the key: 70 of 100 are left once the own 30 are released.
    const busy = { ...state, spend: { spent: nano(5n), held: nano(55n) } }
    expect(settle(busy, HOLD, nano(95n), nano(100n)).result).toMatchObject({ charge: 70n, writeoff: 25n })
    expect(settle(busy, HOLD, nano(60n), nano(100n)).result).toMatchObject({ charge: 60n, writeoff: 0n })
    // A limit lowered under what is spent takes nothing back.
    expect(settle(busy, HOLD, nano(10n), nano(3n)).result).toMatchObject({ charge: 0n, writeoff: 10n })
  })

  test('a call whose hold is gone is charged out of what is available', () => {
    const before = { ...during(100n, 90n), key: FRESH_KEY, spend: FRESH_SPEND }
    const { result, released, state, lines } = settle(before, undefined, nano(25n), null)
    expect(result).toEqual({ charge: nano(10n), writeoff: nano(15n), balance: nano(90n) })
    expect(released).toBe(nano(0n))
    expect(state.key.openCalls).toBe(0)
    expect(lines.map(({ kind }) => kind)).toEqual(['charge', 'writeoff'])
  })

  test('a call that costs nothing leaves no charge in the ledger', () => {
    const { result, lines } = settle(during(100n, 50n), HOLD, nano(0n), null)
    expect(result).toEqual({ charge: nano(0n), writeoff: nano(0n), balance: nano(100n) })
    expect(lines.map(({ kind }) => kind)).toEqual(['release'])
  })
})

describe('the bill', () => {
  const price = {
    input: nano(500_000_000n),
    output: nano(1_500_000_000n),
    tiers: [{ abovePromptTokens: 1_000, input: nano(1_000_000_000n), output: nano(3_000_000_000n) }],
  }
  const usage = { ...NO_USAGE, promptTokens: 100, cachedTokens: 20, completionTokens: 50 }

  test('of a completion is its usage', () => {
    const bill = billFor('completed', usage, price)
    expect(bill.cost).toBe(nano(100n * 500n + 50n * 1_500n))
    expect(bill.lines.map((line) => [line.class, line.tokens])).toEqual([
      ['input', 80],
      ['cached_input', 20],
      ['output', 50],
    ])
  })

  test('of a client that left before the answer is what was sent, and what was probably generated unseen', () => {
    expect(billFor('client_left_before_answer', usage, price)).toEqual(billFor('completed', usage, price))
    expect(billFor('client_left_before_answer', NO_USAGE, price)).toEqual({ cost: nano(0n), lines: [] })
  })

  test('of a failure is nothing, whatever was used', () => {
    expect(billFor('provider_failed', usage, price)).toEqual({ cost: nano(0n), lines: [] })
  })

  test('never has more output than was asked for: speech is cut before reasoning, and nothing of the prompt', () => {
    const reasoned = { ...usage, reasoningTokens: 30 }
    const linesUpTo = (outputTokensMost: number) => {
      const { cost, lines } = billFor('completed', reasoned, price, { outputTokensMost })
      expect(cost).toBe(nano(100n * 500n + BigInt(outputTokensMost) * 1_500n))
      return lines.map((line) => `${line.class} ${line.tokens}`)
    }
    expect(linesUpTo(40)).toEqual(['input 80', 'cached_input 20', 'output 10', 'reasoning 30'])
    expect(linesUpTo(25)).toEqual(['input 80', 'cached_input 20', 'reasoning 25'])
    expect(linesUpTo(50)).toEqual(['input 80', 'cached_input 20', 'output 20', 'reasoning 30'])
  })

  test('of output that is billed, what is beyond the limit is excess', () => {
    expect(excessOutput('completed', usage, 40)).toBe(10)
    expect(excessOutput('completed', usage, 50)).toBe(0)
    expect(excessOutput('completed', usage, 60)).toBe(0)
    expect(excessOutput('provider_failed', usage, 40)).toBe(0)
  })

  test('is at the price of the tier of its prompt', () => {
    const long = { ...usage, promptTokens: 1_001 }
    expect(billFor('completed', long, price).cost).toBe(nano(1_001n * 1_000n + 50n * 3_000n))
  })
})
