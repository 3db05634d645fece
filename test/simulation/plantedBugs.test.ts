import { describe, expect, test } from 'bun:test'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { PLANTED_BUGS } from './plantedBugs.ts'
import { onSqlite, SEED } from './seeds.ts'
import { Broken } from './simulate.ts'

/** A bug that shows itself in one call of a hundred must be seen within these, by one of the seeds: the quickest is first. */
const STEPS = 1_000
const SEEDS = ['planted b', 'planted c', 'planted a', 'planted', 'planted again']

describe('a simulated world of money notices a store that', () => {
  for (const [bug, between] of Object.entries(PLANTED_BUGS)) {
    test(
      bug,
      async () => {
        let found: unknown
        for (const seed of SEED === undefined ? SEEDS : [SEED])
          found ??= await onSqlite({ seed, steps: STEPS, between }).then(
            () => undefined,
            (error: unknown) => error,
          )
        expect(found).toBeInstanceOf(Broken)
      },
      TEST_LIMIT_MS,
    )
  }
})
