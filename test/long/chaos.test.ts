import { expect, test } from 'bun:test'
import { runAllSick, runOneSick } from '../journey/chaos/chaos.ts'
import { isLong } from '../support/scale.ts'

/** Each scenario goes on with new seeds for this long. */
const LASTS_MS = 30_000
const WAVES = { waves: 20, callsPerWave: 24 }

test.skipIf(!isLong)('half a minute of one sick target costs no caller its answer', async () => {
  const until = performance.now() + LASTS_MS
  for (let round = 0; performance.now() < until; round++) {
    const { calls, answered } = await runOneSick({ seed: `long one ${round}`, ...WAVES })
    expect(answered).toBe(calls)
  }
})

test.skipIf(!isLong)(
  'half a minute without a healthy target leaks no word and charges nobody twice',
  async () => {
    const until = performance.now() + LASTS_MS
    for (let round = 0; performance.now() < until; round++) {
      const { answered } = await runAllSick({ seed: `long all ${round}`, ...WAVES })
      expect(answered).toBeGreaterThan(0)
    }
  },
)
