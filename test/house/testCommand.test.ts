import { describe, expect } from 'bun:test'
import { TEST_COMMAND, itInFolder as it, planted, runPlanted, startCommand } from './plantedRun.ts'

describe.concurrent('the test command', () => {
  it('names a test that hangs, with its file, goes on with those behind it, and runs it once more, alone', async (folder) => {
    const { code, output } = await runPlanted(folder, 'hang', '--test-limit', '1')
    const complaint = 'hang.planted.ts: "waits for what never comes" has not ended within 1 s'
    expect(output.split(complaint)).toHaveLength(3)
    expect(output).toContain('Once more, alone: test/house/planted/hang.planted.ts')
    expect(output).toEndWith('2 passed, 1 failed, 0 skipped\n')
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
      const run = startCommand([...TEST_COMMAND, '--fast', ...planted(...files)], folder)
      expect(await run.ended).toBe(1)
      expect(run.output()).toMatch(/ended before its end|its process ended: exit/)
    }
  })

  it('is red when the lines of the runner are not its own', async (folder) => {
    const { code, output } = await runPlanted(folder, 'claim')
    expect(output).toContain('The runner counts 1 passed and 0 failed; its lines show 2 and 0')
    expect(code).toBe(1)
  })

  it('names a file that outgrows its budget many times, in the run and alone, and is red', async (folder) => {
    const { code, output } = await runPlanted(folder, 'slow', '--file-budget', '0.02')
    expect(output).toMatch(
      /slow\.planted\.ts has outgrown its budget of \d[\d.]* s: it took \d[\d.]* s, and \d[\d.]* s alone\./,
    )
    expect(output).toEndWith('1 passed, 1 failed, 0 skipped\n')
    expect(code).toBe(1)
  })

  it('allows a file one and a half times its budget', async (folder) => {
    const { code } = await runPlanted(folder, 'slow', '--file-budget', '20')
    expect(code).toBe(0)
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
    const run = startCommand([...TEST_COMMAND, '--minutes', 'soon'], folder)
    expect(await run.ended).toBe(2)
    expect(run.output()).toContain('--minutes takes a number above 0')
    expect(run.output()).toContain('npm run test:long [-- --minutes N]')
  })
})
