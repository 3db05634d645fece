import { expect, test } from 'bun:test'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAM } from '../support/program.ts'
import { skipFor } from '../support/runEvents.ts'

const UNIT = join(import.meta.dir, '../../deploy/tollgate.service')
/** systemd counts 10 for a service without any protection. */
const EXPOSURE_MAX = 2

test.skipIf(skipFor(Bun.which('systemd-analyze') === null ? 'systemd-analyze is not installed' : undefined))(
  'systemd finds no mistake in the unit, and little that the service may do',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-unit-'))
    try {
      const file = join(folder, 'tollgate.service')
      const text = await readFile(UNIT, 'utf8')
      expect(text).toContain('ExecStart=/usr/local/bin/tollgate serve')
      await writeFile(file, text.replace('/usr/local/bin/tollgate', PROGRAM))
      expect(analyze('verify', file)).toBe('')
      const security = analyze('security', '--offline=true', file)
      const exposure = /exposure level for tollgate\.service: ([\d.]+)/.exec(security)?.[1]
      expect(Number(exposure)).toBeLessThanOrEqual(EXPOSURE_MAX)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)

/** What it says; of a command that succeeds. */
function analyze(...words: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['systemd-analyze', '--no-pager', ...words])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  return stdout.toString()
}
