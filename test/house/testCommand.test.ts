import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mustSkipPrivate } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { type PlantedRun, planted, startCommand } from './plantedRun.ts'

const COMMAND = ['bin/bun', '--no-orphans', 'run', 'scripts/test.ts']
/** Not the shell that npm starts it with. */
const COMMAND_ITSELF = /^(?!sh ).* run scripts\/test\.ts/

/** A test with a temporary directory of its own for the runs that it starts. */
function it(name: string, proof: (folder: string) => Promise<void>): void {
  test(
    name,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tollgate-planted-'))
      // A Postgres that may not run as root passes through to its own folder.
      await chmod(folder, 0o711)
      await proof(folder)
      await rm(folder, { recursive: true, force: true })
    },
    TEST_LIMIT_MS,
  )
}

/** Runs the test command on a planted file, without a Postgres, and gives what it printed. */
async function runPlanted(folder: string, name: string, ...options: string[]) {
  const run = startCommand([...COMMAND, '--fast', ...options, ...planted(name)], folder)
  return { code: await run.ended, output: run.output() }
}

describe.concurrent('the test command', () => {
  it('names a test that hangs, with its file, and ends the run', async (folder) => {
    const { code, output } = await runPlanted(folder, 'hang', '--test-limit', '1')
    expect(output).toContain('hang.planted.ts: "waits for what never comes" has not ended within 1 s')
    expect(output).toEndWith('1 passed, 1 failed, 0 skipped\n')
    expect(code).toBe(1)
  })

  it('names a test that turns in a loop, and ends the run when the time of its file is up', async (folder) => {
    const { code, output } = await runPlanted(folder, 'loop', '--test-limit', '1', '--file-limit', '2')
    expect(output).toContain('loop.planted.ts has not ended within 2 s: "turns in a circle" (line 9)')
    expect(output).toEndWith('1 passed, 1 failed, 0 skipped\n')
    expect(code).toBe(1)
  })

  it('ends a run that takes too long, and names the tests that it was at', async (folder) => {
    const { code, output } = await runPlanted(folder, 'hang', '--run-limit', '1')
    expect(output).toContain('The run has not ended within 1 s; it was at')
    expect(output).toContain('hang.planted.ts: "waits for what never comes" (line 7)')
    expect(code).toBe(1)
  })

  it('runs once more what failed: what passes alone is named as flaky, and the run is green', async (folder) => {
    const { code, output } = await runPlanted(folder, 'flake')
    expect(output).toContain(
      'Flaky (failed, and passed when run once more, alone):\n  test/house/planted/flake.planted.ts: fails (once), then passes\n',
    )
    expect(output).toEndWith('2 passed, 0 failed, 0 skipped\n')
    expect(code).toBe(0)
  })

  it('prints a failure whole, and fails when it fails again alone', async (folder) => {
    const { code, output } = await runPlanted(folder, 'failure')
    expect(output).toContain('Expected: "what should be"')
    expect(output).toContain('Failed:\n  test/house/planted/failure.planted.ts: a group > fails every time\n')
    expect(output).toContain('1 in test/house/planted/failure.planted.ts: it is planted')
    expect(output).toEndWith('1 passed, 1 failed, 1 skipped\n')
    expect(code).toBe(1)
  })

  it('is red when a test ends its own process, alone or beside others', async (folder) => {
    for (const files of [['exit'], ['exit', 'claim']]) {
      const run = startCommand([...COMMAND, '--fast', ...planted(...files)], folder)
      expect(await run.ended).toBe(1)
      expect(run.output()).toMatch(/ended before its end|its process ended: exit/)
    }
  })

  it('is red when the lines of the runner are not its own', async (folder) => {
    const { code, output } = await runPlanted(folder, 'claim')
    expect(output).toContain('The runner counts 1 passed and 0 failed; its lines show 2 and 0')
    expect(code).toBe(1)
  })

  it('does not print what passes', async (folder) => {
    const { output } = await runPlanted(folder, 'failure')
    expect(output).not.toContain('(pass)')
  })

  it('fails when there is no test to run', async (folder) => {
    const { code, output } = await runPlanted(folder, 'failure', '-t', 'no test has this name')
    expect(output).toContain('No test was run')
    expect(code).toBe(1)
  })

  it('refuses options that it does not understand, and says what there is', async (folder) => {
    const run = startCommand([...COMMAND, '--minutes', 'soon'], folder)
    expect(await run.ended).toBe(2)
    expect(run.output()).toContain('--minutes takes a number above 0')
    expect(run.output()).toContain('npm run test:long [-- --minutes N]')
  })
})

describe.concurrent.skipIf(mustSkipPrivate('what a killed run leaves behind'))('nothing stays behind', () => {
  /** `npm test` on a file that has a gateway and a Postgres of its own and goes on until it is killed. */
  async function startStaying(folder: string): Promise<PlantedRun> {
    const files = planted('orphan', 'failure')
    const run = startCommand(['npm', 'test', '--', ...files], folder, { TOLLGATE_PLANTED_STAYS: '1' })
    await run.runs('main.ts serve')
    // The one that all tests of the run share, and the file's own.
    await run.runs('postgres -D', 2)
    return run
  }

  it('when a test forgets a gateway and a Postgres', async (folder) => {
    const run = startCommand([...COMMAND, ...planted('orphan')], folder)
    await run.runs('main.ts serve')
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
