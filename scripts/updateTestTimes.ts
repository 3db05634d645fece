/**
 * Renews `test/times.json`: runs every test file alone, and writes down how many milliseconds the long ones take. Needs a
 * machine that does nothing else, for ten minutes.
 */
import { join } from 'node:path'
import { POSTGRES_URL_VARIABLE, startPostgres } from '../test/support/postgres.ts'
import { TEST_LIMIT_VARIABLE } from '../test/support/scale.ts'
import { SHORT_LIMITS } from './testing/limits.ts'
import { createRunFolder } from './testing/runFolder.ts'
import { testFiles } from './testing/times.ts'

/** The budget of files without a line is larger. */
const NAMED_FROM_MS = 2_000
const STEP_MS = 500

const root = join(import.meta.dir, '..')
const folder = await createRunFolder()
const postgres = await startPostgres({ folder: folder.path })
const files: Record<string, number> = {}
for (const file of testFiles(root).toSorted()) {
  const startedAt = performance.now()
  const child = Bun.spawn([process.execPath, 'test', `--timeout=${SHORT_LIMITS.test}`, `./${file}`], {
    cwd: root,
    env: {
      ...process.env,
      TMPDIR: folder.path,
      [POSTGRES_URL_VARIABLE]: postgres.url,
      [TEST_LIMIT_VARIABLE]: String(SHORT_LIMITS.test),
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const code = await child.exited
  const took = performance.now() - startedAt
  if (code !== 0) console.error(`${file} fails`)
  if (took < NAMED_FROM_MS) continue
  files[file] = Math.ceil(took / STEP_MS) * STEP_MS
  console.log(`${file}: ${files[file]}`)
}
await postgres.stop()
await folder.remove()
await Bun.write(join(root, 'test/times.json'), `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`)
