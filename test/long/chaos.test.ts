import { expect, test } from 'bun:test'
import { runAllSick, runOneSick } from '../journey/chaos/chaos.ts'
import { TEST_LIMIT_MS, onlyLong, repeats } from '../support/scale.ts'

const SEED = process.env['TOLLGATE_SEED'] ?? 'chaos'
/** About half a minute of each. */
const ROUNDS = { short: 0, long: 12, share: 0.06 }
const WAVES = { waves: 20, callsPerWave: 24 }

test.skipIf(onlyLong())(
  'one sick target costs no caller its answer, for as long as it is sick',
  async () => {
    let rounds = 0
    for (const round of repeats(ROUNDS)) {
      const { calls, answered } = await runOneSick({ seed: `${SEED} one ${round}`, ...WAVES })
      expect(answered).toBe(calls)
      rounds++
    }
    console.log(`one sick target, seed ${SEED}: ${rounds} rounds`)
  },
  TEST_LIMIT_MS,
)

test.skipIf(onlyLong())(
  'where no target is healthy, no word leaks and nobody is charged twice',
  async () => {
    let rounds = 0
    for (const round of repeats(ROUNDS)) {
      const { answered } = await runAllSick({ seed: `${SEED} all ${round}`, ...WAVES })
      expect(answered).toBeGreaterThan(0)
      rounds++
    }
    console.log(`no healthy target, seed ${SEED}: ${rounds} rounds`)
  },
  TEST_LIMIT_MS,
)
