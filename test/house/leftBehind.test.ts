import { describe, expect } from 'bun:test'
import { readdirSync } from 'node:fs'
import { mustSkipPrivate } from '../support/postgres.ts'
import {
  type PlantedRun,
  TEST_COMMAND,
  itInFolder as it,
  planted,
  runPlanted,
  startCommand,
  startStaying,
} from './plantedRun.ts'

/** Not the shell that npm starts it with. */
const COMMAND_ITSELF = /^(?!sh ).* run scripts\/test\.ts/

const SKIPPED = mustSkipPrivate('what a killed run leaves behind')

describe.concurrent.skipIf(SKIPPED)('nothing stays behind', () => {
  it('when a test forgets a gateway and a Postgres', async (folder) => {
    // It passes only when its gateway answers.
    const run = startCommand([...TEST_COMMAND, ...planted('orphan')], folder)
    expect(await run.ended).toBe(0)
    await run.gone()
    expect(readdirSync(folder)).toEqual([])
  })

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
