import { describe, expect } from 'bun:test'
import { readdirSync } from 'node:fs'
import { mustSkipPrivate } from '../support/postgres.ts'
import { type PlantedRun, COMMAND_ITSELF, itInFolder as it, runPlanted, startStaying } from './plantedRun.ts'

const SKIPPED = mustSkipPrivate('what a killed run leaves behind')

// One after the other: each has a Postgres or two, and all of them together take a busy machine minutes.
describe.skipIf(SKIPPED)('nothing stays behind of a killed run', () => {
  const victims: readonly [who: string, pid: (run: PlantedRun) => number][] = [
    ['npm', (run) => run.pid],
    ['the shell of npm', (run) => run.find(/^sh -c bin\/bun /)],
    ['the test command', (run) => run.find(COMMAND_ITSELF)],
    ['the runner of the tests', (run) => run.find(/ test --no-orphans /)],
    ['the process of a test', (run) => run.find(/main\.ts serve/, 'parent')],
  ]
  for (const [who, pidOf] of victims) {
    it(`when ${who} is killed, and the next run removes its folder`, async (folder) => {
      const run = await startStaying(folder)
      process.kill(pidOf(run), 'SIGKILL')
      const { tookMs } = await run.gone()
      console.log(`${who} killed: nothing left after ${Math.round(tookMs)} ms`)
      await runPlanted(folder, 'failure')
      expect(readdirSync(folder)).toEqual([])
    })
  }
})
