import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { grantHold, leastOf } from './holdGrant.ts'
import { nano } from './money.ts'
import type { HeldOutput } from './ports/till.ts'

function grant(need: bigint, most: bigint, output: HeldOutput, free: bigint, prompt = 0n): bigint {
  const request = { prompt: nano(prompt), need: nano(need), most: nano(most), output, expiresAt: 0 }
  return grantHold(request, nano(free))
}

describe('what is set aside for a call', () => {
  test('is the most that it can cost, where that is one in a hundred of what is free', () => {
    expect(grant(10n, 1_000n, 'seen', 100_000n)).toBe(1_000n)
    expect(grant(10n, 1_001n, 'seen', 100_000n)).toBe(10n)
    expect(grant(10n, 1_000n, 'unseen', 100_000n)).toBe(1_000n)
  })

  test('is what it needs, where its output is seen growing', () => {
    expect(grant(10n, 5_000n, 'seen', 10n)).toBe(10n)
    expect(grant(10n, 5_000n, 'seen', 9_000n)).toBe(10n)
  })

  test('is a quarter of the most, where its output comes in pieces of any size', () => {
    expect(grant(10n, 4_000n, 'unseen', 80_000n)).toBe(1_000n)
  })

  test('is then not over an eighth of what is free, and never under what it needs', () => {
    expect(grant(10n, 4_000n, 'unseen', 800n)).toBe(100n)
    expect(grant(300n, 4_000n, 'unseen', 800n)).toBe(300n)
    expect(grant(3_000n, 4_000n, 'unseen', 80_000n)).toBe(3_000n)
  })

  test('is then reckoned beside the prompt, however much that is', () => {
    expect(grant(1_010n, 5_000n, 'unseen', 90_000n, 1_000n)).toBe(2_000n)
    expect(grant(1_010n, 5_000n, 'unseen', 1_800n, 1_000n)).toBe(1_100n)
    expect(grant(1_300n, 5_000n, 'unseen', 1_800n, 1_000n)).toBe(1_300n)
  })

  test('law: four times what is held for output that is not seen covers the most, or half of what is free beside the prompt', () => {
    const amount = fc.bigInt(0n, 10n ** 12n)
    fc.assert(
      fc.property(amount, amount, amount, amount, (prompt, a, b, more) => {
        const [need, most, free] = [prompt + a, prompt + a + b, prompt + a + more]
        const output = grant(need, most, 'unseen', free, prompt) - prompt
        expect(output * 4n >= most - prompt || output * 8n + 8n >= free - prompt).toBe(true)
      }),
    )
  })

  test('is the most that it can cost, where all holds are full', () => {
    expect(grant(10n, 5_000n, 'full', 5_000n)).toBe(5_000n)
  })

  test('law: lies between what it needs and the most, and within what is free', () => {
    const amount = fc.bigInt(0n, 10n ** 12n)
    fc.assert(
      fc.property(
        amount,
        amount,
        amount,
        amount,
        fc.constantFrom('seen', 'unseen', 'full'),
        (p, a, b, more, output) => {
          const request = {
            prompt: nano(p),
            need: nano(p + a),
            most: nano(p + a + b),
            output,
            expiresAt: 0,
          } as const
          const free = nano(leastOf(request) + more)
          const granted = grantHold(request, free)
          expect(granted >= request.need && granted <= request.most && granted <= free).toBe(true)
        },
      ),
    )
  })
})
