import { test } from 'bun:test'
import { mustSkip } from '../support/postgres.ts'
import { TEST_LIMIT_MS, scaled } from '../support/scale.ts'
import { onPostgres, runSeeds } from './seeds.ts'

test.skipIf(mustSkip('the simulated world of money on Postgres'))(
  'postgres: a simulated world of money keeps every book right, whatever callers, providers, clocks and crashes do',
  () =>
    runSeeds('postgres', onPostgres, {
      seeds: { short: 1, long: 15, share: 0.15 },
      steps: scaled({ short: 120, long: 800 }),
    }),
  TEST_LIMIT_MS,
)
