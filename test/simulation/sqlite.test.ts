import { test } from 'bun:test'
import { TEST_LIMIT_MS, scaled } from '../support/scale.ts'
import { onSqlite, runSeeds } from './seeds.ts'

test(
  'sqlite: a simulated world of money keeps every book right, whatever callers, providers, clocks and crashes do',
  () =>
    runSeeds('sqlite', onSqlite, {
      seeds: { short: 6, long: 200, share: 0.3 },
      steps: scaled({ short: 500, long: 2_000 }),
    }),
  TEST_LIMIT_MS,
)
