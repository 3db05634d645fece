import { describe, expect, test } from 'bun:test'
import { rejectionOf } from '../support/rejection.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { PLANTED_BUGS } from './plantedBugs.ts'
import { onSqlite, SEED } from './seeds.ts'
import { Broken } from './simulate.ts'

/** A bug that shows itself in one call of a hundred must be seen within these. */
const STEPS = 1_000

describe('a simulated world of money notices a store that', () => {
  for (const [bug, between] of Object.entries(PLANTED_BUGS)) {
    test(
      bug,
      async () => {
        const found = await rejectionOf(onSqlite({ seed: SEED ?? 'planted', steps: STEPS, between }))
        expect(found).toBeInstanceOf(Broken)
      },
      TEST_LIMIT_MS,
    )
  }
})
