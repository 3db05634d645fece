import { describe, expect } from 'bun:test'
import { readdirSync } from 'node:fs'
import { mustSkipPrivate } from '../support/postgres.ts'
import {
  COMMAND_ITSELF,
  itInFolder as it,
  planted,
  startCommand,
  startStaying,
  TEST_COMMAND,
} from './plantedRun.ts'

/** What it starts takes as long as the machine is busy. */
const NO_BUDGET = ['--file-budget', '600']

const SKIPPED = mustSkipPrivate('what an ended run leaves behind')

describe.skipIf(SKIPPED)('nothing stays behind of a run', () => {
  it('when a test forgets a gateway and a Postgres', async (folder) => {
    // It passes only when its gateway answers.
    const run = startCommand([...TEST_COMMAND, ...NO_BUDGET, ...planted('orphan')], folder)
    expect(await run.ended).toBe(0)
    await run.gone()
    expect(readdirSync(folder)).toEqual([])
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`when ${signal} ends the run, which says what it was at and removes its folder`, async (folder) => {
      const run = await startStaying(folder)
      // A terminal signals all processes of its foreground.
      process.kill(signal === 'SIGINT' ? -run.pid : run.find(COMMAND_ITSELF), signal)
      const { tookMs } = await run.gone()
      console.log(`${signal}: nothing left after ${Math.round(tookMs)} ms`)
      expect(run.output()).toContain(`Ended by ${signal}, at: test/house/planted/orphan.planted.ts`)
      expect(readdirSync(folder)).toEqual([])
    })
  }
})
