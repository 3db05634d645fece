import { type Nano, ZERO, maxNano, minNano, nano, subtractNano } from './money.ts'
import { type Price, type PromptTokens, TOKENS_PER_PRICE, ceilingFor } from './price.ts'
import type { Bill } from './settlement.ts'

/** Why part of a cost was written off; docs/operations.md says what an operator does about each. */
export const WRITEOFF_CAUSES = ['prompt', 'unseen_output', 'seen_output', 'hold_gone'] as const

/**
 * `prompt`: the prompt costs more than the hold reckoned for it. `unseen_output`: output beyond the hold that was not
 * seen growing. `seen_output`: output beyond the hold that was. `hold_gone`: what the hold would have paid.
 */
export type WriteoffCause = (typeof WRITEOFF_CAUSES)[number]

/** A write-off by cause: no part is negative, together they are the write-off. */
export type WriteoffParts = Readonly<Record<WriteoffCause, Nano>>

/** A call that cost more than it held: its bill, and what its hold was reckoned from. */
export interface Overrun {
  /** Everything that it held, extensions included, whether or not that is still there. */
  readonly held: Nano
  readonly bill: Bill
  /** Of the model that is billed. */
  readonly price: Price
  /** The prompt as the hold reckoned it, on the model that is billed. */
  readonly reckonedPrompt: PromptTokens
  /** Output tokens that were seen growing; may be more than are billed. */
  readonly seenTokens: number
}

/**
 * Says what caused a write-off, split where causes share it.
 *
 * @param overrun absent when the call cost no more than it held
 */
export function writeoffParts(writeoff: Nano, overrun?: Overrun): WriteoffParts {
  if (!overrun) return { prompt: ZERO, unseen_output: ZERO, seen_output: ZERO, hold_gone: writeoff }
  // A hold that is there pays up to its amount: only what is written off beyond that can have gone with it.
  const { bill, held } = overrun
  const beyond = minNano(writeoff, maxNano(ZERO, subtractNano(bill.cost, held)))
  const { prompt, unseen, seen } = excessOf(overrun)
  const [promptPart, unseenPart, seenPart] = shareOut(beyond, [prompt, unseen, seen])
  return {
    prompt: promptPart,
    unseen_output: unseenPart,
    seen_output: seenPart,
    hold_gone: subtractNano(writeoff, beyond),
  }
}

/** By how much prompt and output cost more than the hold had for them; together at least what the call cost beyond it. */
function excessOf({ held, bill, price, reckonedPrompt, seenTokens }: Overrun): {
  prompt: Nano
  unseen: Nano
  seen: Nano
} {
  const output = outputOf(bill)
  // A prompt that is longer than reckoned may make the output dearer too, by its tier: that is the prompt's doing.
  const { promptTokens } = reckonedPrompt
  const outputAsReckoned = ceilingFor(price, { promptTokens, prompts: 0 }, output.tokens)
  const outputCost = minNano(output.cost, outputAsReckoned)
  const heldForPrompt = minNano(held, ceilingFor(price, reckonedPrompt, 0))
  const heldForOutput = subtractNano(held, heldForPrompt)
  // A hold grows by what is seen, so it covers that first.
  const seen = excess(partOf(outputCost, seenTokens, output.tokens), heldForOutput)
  return {
    prompt: excess(subtractNano(bill.cost, outputCost), heldForPrompt),
    unseen: subtractNano(excess(outputCost, heldForOutput), seen),
    seen,
  }
}

/** What of a bill is output; rounded like the whole, and so never more than it. */
function outputOf({ lines }: Bill): { tokens: number; cost: Nano } {
  let tokens = 0
  let sum = 0n
  for (const line of lines) {
    if (line.class !== 'output' && line.class !== 'reasoning') continue
    tokens += line.tokens
    sum += BigInt(line.tokens) * line.unitPrice
  }
  return { tokens, cost: nano((sum + TOKENS_PER_PRICE / 2n) / TOKENS_PER_PRICE) }
}

function excess(cost: Nano, held: Nano): Nano {
  return maxNano(ZERO, subtractNano(cost, held))
}

/** The share of `tokens` out of `all` in a cost. */
function partOf(cost: Nano, tokens: number, all: number): Nano {
  return tokens >= all ? cost : nano((cost * BigInt(tokens)) / BigInt(all))
}

/** Splits an amount by weights, to the last nano-dollar. */
function shareOut(amount: Nano, weights: readonly [Nano, Nano, Nano]): [Nano, Nano, Nano] {
  const [first, second, third] = weights
  const sum = first + second + third
  if (sum === 0n) return [ZERO, ZERO, amount]
  const one = (amount * first) / sum
  const two = (amount * (first + second)) / sum
  return [nano(one), nano(two - one), nano(amount - two)]
}
