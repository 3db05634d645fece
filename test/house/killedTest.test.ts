import { describe, expect } from 'bun:test'
import { readProcess } from '../../scripts/testing/processes.ts'
import { mustSkipPrivate } from '../support/postgres.ts'
import { itInFolder as it, startStaying } from './plantedRun.ts'

const WATCH_MS = 20

describe.skipIf(mustSkipPrivate('what a killed test leaves behind'))('nothing stays behind', () => {
  it('of the process of a test that is killed: its gateway and its Postgres end while the run goes on, which says so', async (folder) => {
    const run = await startStaying(folder)
    // The one that all tests share was started first.
    const own = [run.find(/main\.ts serve/), run.findLast(/postgres -D/)]
    process.kill(run.find(/main\.ts serve/, 'parent'), 'SIGKILL')
    const killedAt = performance.now()
    while (own.some((pid) => readProcess(pid) !== undefined)) await Bun.sleep(WATCH_MS)
    console.log(`SIGKILL: nothing left of it after ${Math.round(performance.now() - killedAt)} ms`)
    // The run has the file to repeat, with a gateway and a Postgres of its own.
    expect(run.output()).not.toContain('passed,')
    expect(await run.ended).toBe(1)
    expect(run.output()).toContain('orphan.planted.ts (worker crashed: SIGKILL)')
    expect(run.output()).toMatch(/Flaky .*\n.*orphan\.planted\.ts: \(its process ended: SIGKILL\)\n/)
    expect(run.output()).toMatch(/Failed:\n.*failure\.planted\.ts: a group > fails every time\n/)
  })
})
