import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { nano } from './money.ts'
import { type Price, ceilingFor } from './price.ts'
import { billFor } from './settlement.ts'
import { NO_USAGE, type Usage } from './usage.ts'
import { type Overrun, WRITEOFF_CAUSES, type WriteoffParts, writeoffParts } from './writeoff.ts'

/** A prompt token costs 1 nano-dollar, an output token 3. */
const PRICE: Price = { input: nano(1_000_000n), output: nano(3_000_000n) }

/** A call whose hold covers a prompt of 100 tokens and 50 tokens of output. */
function callThatUsed(used: Partial<Usage>, changes: Partial<Overrun> = {}): Overrun {
  const price = changes.price ?? PRICE
  return {
    held: ceilingFor(price, { promptTokens: 100, prompts: 1 }, 50),
    bill: billFor('completed', { ...NO_USAGE, ...used }, price),
    price,
    reckonedPrompt: { promptTokens: 100, prompts: 1 },
    seenTokens: Infinity,
    ...changes,
  }
}

const NONE: WriteoffParts = {
  prompt: nano(0n),
  unseen_output: nano(0n),
  seen_output: nano(0n),
  hold_gone: nano(0n),
}

describe('a write-off', () => {
  test('of a call that cost no more than it held is due to its hold, which was gone', () => {
    expect(writeoffParts(nano(12n))).toEqual({ ...NONE, hold_gone: nano(12n) })
  })

  test('is due to the prompt where it costs more than the hold reckoned for it', () => {
    const call = callThatUsed({ promptTokens: 400, completionTokens: 50 })
    expect(writeoffParts(nano(120n), call)).toEqual({ ...NONE, prompt: nano(120n) })
  })

  test('is due to output that nobody saw growing where that went beyond the hold', () => {
    const call = callThatUsed({ promptTokens: 100, completionTokens: 200 }, { seenTokens: 10 })
    expect(writeoffParts(nano(450n), call)).toEqual({ ...NONE, unseen_output: nano(450n) })
  })

  test('is due to output that was seen growing where that went beyond the hold', () => {
    const call = callThatUsed({ promptTokens: 100, completionTokens: 200 })
    expect(writeoffParts(nano(450n), call)).toEqual({ ...NONE, seen_output: nano(450n) })
  })

  test('is shared out by what each cause cost beyond the hold', () => {
    // Beyond the hold: 300 of the prompt, 90 of output that was seen, 360 of output that was not.
    const call = callThatUsed({ promptTokens: 400, completionTokens: 200 }, { seenTokens: 80 })
    const whole = { ...NONE, prompt: nano(300n), unseen_output: nano(360n), seen_output: nano(90n) }
    expect(writeoffParts(nano(750n), call)).toEqual(whole)
    const half = { ...NONE, prompt: nano(150n), unseen_output: nano(180n), seen_output: nano(45n) }
    expect(writeoffParts(nano(375n), call)).toEqual(half)
  })

  test('that is more than the cost beyond the hold is for its rest due to the hold, which was gone', () => {
    const call = callThatUsed({ promptTokens: 130, completionTokens: 50 })
    expect(writeoffParts(nano(280n), call)).toEqual({ ...NONE, prompt: nano(30n), hold_gone: nano(250n) })
  })

  test('is not due to a prompt that costs more while the output leaves as much of the hold unused', () => {
    const call = callThatUsed({ promptTokens: 130, completionTokens: 40 })
    expect(writeoffParts(nano(20n), call)).toEqual({ ...NONE, hold_gone: nano(20n) })
  })

  test('is due to the prompt also where that takes the output to a dearer tier', () => {
    const tiers = [{ abovePromptTokens: 100, input: nano(2_000_000n), output: nano(6_000_000n) }]
    const call = callThatUsed({ promptTokens: 101, completionTokens: 50 }, { price: { ...PRICE, tiers } })
    expect(writeoffParts(nano(252n), call)).toEqual({ ...NONE, prompt: nano(252n) })
  })
})

const unitPrice = fc.bigInt({ min: 0n, max: 100_000_000_000n }).map(nano)
const tokens = fc.nat({ max: 200_000 })
const price: fc.Arbitrary<Price> = fc
  .record({
    input: unitPrice,
    output: unitPrice,
    reasoning: unitPrice,
    tier: fc.record({ abovePromptTokens: tokens, input: unitPrice, output: unitPrice }),
  })
  .map(({ tier, ...prices }) => ({ ...prices, tiers: [tier] }))
const overrun: fc.Arbitrary<Overrun> = fc
  .record({
    price,
    held: fc.bigInt({ min: 0n, max: 20_000_000_000n }).map(nano),
    reckonedPrompt: fc.record({ promptTokens: tokens, prompts: fc.integer({ min: 1, max: 8 }) }),
    seenTokens: fc.oneof(tokens, fc.constant(Infinity)),
    usage: fc.record({ promptTokens: tokens, spoken: tokens, reasoningTokens: tokens }),
  })
  .map(({ usage: { spoken, ...used }, ...call }) => {
    const usage = { ...NO_USAGE, ...used, completionTokens: spoken + used.reasoningTokens }
    return { ...call, bill: billFor('completed', usage, call.price) }
  })

test('law: no part is negative, they add up to the write-off, and only what the hold would have paid is due to its absence', () => {
  fc.assert(
    fc.property(overrun, fc.bigInt({ min: 0n, max: 1_000_000n }), (call, millionths) => {
      const { bill, held, seenTokens } = call
      const writeoff = nano((bill.cost * millionths) / 1_000_000n)
      const parts = writeoffParts(writeoff, call)
      for (const cause of WRITEOFF_CAUSES) expect(parts[cause]).toBeGreaterThanOrEqual(0n)
      expect(WRITEOFF_CAUSES.reduce((sum, cause) => sum + parts[cause], 0n)).toBe(writeoff)
      const beyond = bill.cost > held ? bill.cost - held : 0n
      expect(parts.hold_gone).toBe(nano(writeoff > beyond ? writeoff - beyond : 0n))
      if (seenTokens === Infinity) expect(parts.unseen_output).toBe(nano(0n))
      if (seenTokens === 0) expect(parts.seen_output).toBe(nano(0n))
    }),
    { numRuns: 1_000 },
  )
})
