import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { rejectionOf } from '../support/rejection.ts'
import { scaled } from '../support/scale.ts'
import { PLANTED_BUGS } from './plantedBugs.ts'
import { Broken, simulate, type SimulationOptions, type SimulationReport } from './simulate.ts'

const SEED = process.env['TOLLGATE_SEED']
const STEPS = Number(process.env['TOLLGATE_STEPS'] ?? scaled({ short: 500, long: 2_000 }))
const SEEDS = SEED === undefined ? scaled({ short: 6, long: 200 }) : 1
const POSTGRES_SEEDS = SEED === undefined ? scaled({ short: 1, long: 15 }) : 1
const POSTGRES_STEPS = Number(process.env['TOLLGATE_STEPS'] ?? scaled({ short: 120, long: 800 }))
/** A long run says how far it is. */
const SEEDS_PER_NOTE = 25
/** A bug that shows itself in one call of a hundred must be seen within these. */
const PLANTED_STEPS = 1_000
const TIMEOUT_MS = 60 * 60_000

type Plan = Pick<SimulationOptions, 'seed' | 'steps' | 'between'>

async function onSqlite(plan: Plan): Promise<SimulationReport> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-simulation-'))
  const path = join(folder, 'tollgate.db')
  try {
    return await simulate({
      ...plan,
      database: { engine: 'sqlite', path, durability: 'default' },
      databaseUrl: `sqlite:${path}`,
      ordered: true,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function onPostgres(plan: Plan): Promise<SimulationReport> {
  const url = await (await sharedPostgres()).createDatabase()
  return simulate({ ...plan, database: { engine: 'postgres', url }, databaseUrl: url, ordered: false })
}

async function runSeeds(
  engine: string,
  seeds: number,
  steps: number,
  run: (plan: Plan) => Promise<SimulationReport>,
): Promise<void> {
  const startedAt = performance.now()
  let requests = 0
  let charges = 0
  for (let i = 0; i < seeds; i++) {
    const seed = SEED ?? String(i + 1)
    try {
      const report = await run({ seed, steps })
      if ((i + 1) % SEEDS_PER_NOTE === 0) console.log(`${engine}: ${i + 1} of ${seeds} seeds`)
      requests += report.requests
      charges += report.charges
      if (SEED !== undefined) console.log(report)
    } catch (error) {
      console.error(
        `Replay: TOLLGATE_SEED=${seed} TOLLGATE_STEPS=${steps} bin/bun test test/simulation -t ${engine}`,
      )
      throw error
    }
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(
    `${engine}: ${seeds} seeds of ${steps} steps, ${requests} requests, ${charges} charges in ${seconds} s`,
  )
  expect(charges).toBeGreaterThan(0)
}

describe('a simulated world of money', () => {
  test(
    'sqlite: keeps every book right, whatever callers, providers, clocks and crashes do',
    () => runSeeds('sqlite', SEEDS, STEPS, onSqlite),
    TIMEOUT_MS,
  )

  test.skipIf(mustSkip('the simulated world of money on Postgres'))(
    'postgres: keeps every book right, whatever callers, providers, clocks and crashes do',
    () => runSeeds('postgres', POSTGRES_SEEDS, POSTGRES_STEPS, onPostgres),
    TIMEOUT_MS,
  )

  describe('notices a store that', () => {
    for (const [bug, between] of Object.entries(PLANTED_BUGS)) {
      test(
        bug,
        async () => {
          const seed = SEED ?? 'planted'
          const found = await rejectionOf(onSqlite({ seed, steps: PLANTED_STEPS, between }))
          expect(found).toBeInstanceOf(Broken)
        },
        TIMEOUT_MS,
      )
    }
  })
})
