import { describe, expect } from 'bun:test'
import { readdirSync } from 'node:fs'
import { readProcess } from '../../scripts/testing/processes.ts'
import { mustSkipPrivate } from '../support/postgres.ts'
import { slownessOfMachine } from '../support/slowness.ts'
import {
  type PlantedRun,
  TEST_COMMAND,
  itInFolder as it,
  planted,
  runPlanted,
  startCommand,
} from './plantedRun.ts'

const WATCH_MS = 20
const GONE_WITHIN_MS = 1_000 * slownessOfMachine()
/** Not the shell that npm starts it with. */
const COMMAND_ITSELF = /^(?!sh ).* run scripts\/test\.ts/

/** `npm test` on a file that has a gateway and a Postgres of its own and goes on until it is killed. */
async function startStaying(folder: string): Promise<PlantedRun> {
  const files = planted('orphan', 'failure')
  const run = startCommand(['npm', 'test', '--', ...files], folder, { TOLLGATE_PLANTED_STAYS: '1' })
  await run.runs('main.ts serve')
  // The one that all tests of the run share, and the file's own.
  await run.runs('postgres -D', 2)
  return run
}

const SKIPPED = mustSkipPrivate('what a killed run leaves behind')

// By itself: it is about the time that this takes.
describe.skipIf(SKIPPED)('nothing stays behind', () => {
  it('of the process of a test that is killed: its gateway and its Postgres end within a second, and the run goes on and says so', async (folder) => {
    const run = await startStaying(folder)
    // The one that all tests share was started first.
    const own = [run.find(/main\.ts serve/), run.findLast(/postgres -D/)]
    process.kill(run.find(/main\.ts serve/, 'parent'), 'SIGKILL')
    const killedAt = performance.now()
    while (own.some((pid) => readProcess(pid) !== undefined)) await Bun.sleep(WATCH_MS)
    expect(performance.now() - killedAt).toBeLessThan(GONE_WITHIN_MS)
    expect(run.output()).not.toContain('passed,')
    expect(await run.ended).toBe(1)
    expect(run.output()).toContain('orphan.planted.ts (worker crashed: SIGKILL)')
    expect(run.output()).toMatch(/Flaky .*\n.*orphan\.planted\.ts: \(its process ended: SIGKILL\)\n/)
    expect(run.output()).toMatch(/Failed:\n.*failure\.planted\.ts: a group > fails every time\n/)
  })
})

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
