import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { type PlantedRun, startCommand } from './plantedRun.ts'

const PROOF = join(import.meta.dir, '../../.ci/run')

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-proof-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Starts the proof of a project that has nothing but these scripts. */
async function startProof(
  scripts: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<PlantedRun> {
  const project = join(folder, 'project')
  await mkdir(join(project, '.ci'), { recursive: true })
  await cp(PROOF, join(project, '.ci/run'))
  const all = {
    check: 'true',
    test: 'true',
    build: 'true',
    'test:binary': 'true',
    'test:long': 'echo long',
    ...scripts,
  }
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'planted', scripts: all }))
  const lock = { name: 'planted', lockfileVersion: 3, requires: true, packages: { '': { name: 'planted' } } }
  await writeFile(join(project, 'package-lock.json'), JSON.stringify(lock))
  return startCommand(['bash', '.ci/run'], folder, environment, project)
}

describe('the proof', () => {
  test(
    'says how busy the machine is, and how long each part took',
    async () => {
      const run = await startProof({})
      expect(await run.ended).toBe(0)
      expect(run.output()).toStartWith('Load of the machine: ')
      expect(run.output()).toMatch(
        /\n +\d+ s  install\n +\d+ s  check\n +\d+ s  test\n +\d+ s  build\n +\d+ s  one file\n +\d+ s  long test\n +\d+ s  in all\n/,
      )
      expect(run.output()).toContain('> echo long --minutes 4')
    },
    TEST_LIMIT_MS,
  )

  test(
    'ends with the first part that fails, names it, and says what the machine was busy with',
    async () => {
      const run = await startProof({ check: 'exit 7', test: 'echo must not run' })
      expect(await run.ended).not.toBe(0)
      expect(run.output()).toMatch(/FAILED with \d+ in: check\nLoad of the machine: .*\n.*%CPU/)
      expect(run.output()).not.toContain('must not run')
    },
    TEST_LIMIT_MS,
  )

  test(
    'that does not come to its end is ended with all of its processes, and names what ran',
    async () => {
      const run = await startProof({ test: 'sleep 1000 & sleep 1001' }, { TOLLGATE_PROOF_LIMIT_S: '3' })
      expect(await run.ended).toBe(1)
      expect(run.output()).toMatch(/Not at its end after 3 s, in: \w+ /)
      await run.gone()
    },
    TEST_LIMIT_MS,
  )

  test(
    'that is told to stop leaves no process behind',
    async () => {
      const run = await startProof({ check: 'sleep 1000 & sleep 1001' })
      await run.runs('sleep 1001')
      process.kill(run.pid, 'SIGTERM')
      expect(await run.ended).toBe(143)
      expect(run.output()).toContain('Ended by SIGTERM in: check')
      await run.gone()
    },
    TEST_LIMIT_MS,
  )
})
