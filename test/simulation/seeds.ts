import { expect } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedPostgres } from '../support/postgres.ts'
import { type Repeats, repeats } from '../support/scale.ts'
import { simulate, type SimulationOptions, type SimulationReport } from './simulate.ts'

/** A seed to replay; absent: as many as the form of the run has. */
export const SEED = process.env['TOLLGATE_SEED']
const STEPS = process.env['TOLLGATE_STEPS']

type Plan = Pick<SimulationOptions, 'seed' | 'steps' | 'between'>

export async function onSqlite(plan: Plan): Promise<SimulationReport> {
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

export async function onPostgres(plan: Plan): Promise<SimulationReport> {
  const url = await (await sharedPostgres()).createDatabase()
  return simulate({ ...plan, database: { engine: 'postgres', url }, databaseUrl: url, ordered: false })
}

/** Lives through the seeds 1, 2, 3 …; a seed that fails prints how to replay it. */
export async function runSeeds(
  engine: string,
  run: (plan: Plan) => Promise<SimulationReport>,
  options: { readonly seeds: Repeats; readonly steps: number },
): Promise<void> {
  const startedAt = performance.now()
  const steps = Number(STEPS ?? options.steps)
  let seeds = 0
  let requests = 0
  let charges = 0
  for (const done of repeats(SEED === undefined ? options.seeds : { short: 1, long: 1, share: 1 })) {
    const seed = SEED ?? String(done + 1)
    try {
      const report = await run({ seed, steps })
      seeds++
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
  const named = SEED === undefined ? `seeds 1 to ${seeds}` : `seed ${SEED}`
  console.log(
    `${engine}: ${named} of ${steps} steps, ${requests} requests, ${charges} charges in ${seconds} s`,
  )
  expect(charges).toBeGreaterThan(0)
}
