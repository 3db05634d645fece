import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Glob } from 'bun'
import { readProcess } from './processes.ts'

const RUN_FOLDER = /^tollgate-test-(\d+)$/
/** What tests that were started without the test command leave when they are killed; none of them runs this long. */
const STRAY_FOLDER = /^tollgate-[a-z]+-\w{6}$/
const STRAY_AFTER_MS = 24 * 60 * 60_000
/** The keeper of a Postgres needs its files to stop it, and removes them itself; it gets this long for that. */
const KEEPERS_ATTEMPTS = 40
const REMOVE_ATTEMPTS = 60
const REMOVE_PAUSE_MS = 50
const POSTGRES_DATA = 'tollgate-postgres-*/data'

/**
 * The temporary directory of one run: everything that its tests write lies below, so that it can be removed
 * whatever ended the run. Removes what earlier runs left.
 */
export async function createRunFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const parent = tmpdir()
  for (const name of readdirSync(parent)) {
    if (isLeft(parent, name)) await remove(join(parent, name))
  }
  const path = join(parent, `tollgate-test-${process.pid}`)
  await remove(path)
  // A Postgres that may not run as root passes through to its own folder.
  mkdirSync(path, { mode: 0o711 })
  return { path, remove: () => remove(path) }
}

function isLeft(parent: string, name: string): boolean {
  const run = RUN_FOLDER.exec(name)
  if (run) return readProcess(Number(run[1]))?.command.includes('scripts/test.ts') !== true
  if (!STRAY_FOLDER.test(name)) return false
  const found = statSync(join(parent, name), { throwIfNoEntry: false })
  return found !== undefined && found.isDirectory() && Date.now() - found.mtimeMs > STRAY_AFTER_MS
}

async function remove(path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (attempt > KEEPERS_ATTEMPTS || !holdsPostgres(path)) rmSync(path, { recursive: true, force: true })
      if (!existsSync(path)) return
    } catch (error) {
      if (attempt === REMOVE_ATTEMPTS) throw error
    }
    if (attempt === REMOVE_ATTEMPTS) throw new Error(`${path} cannot be removed`)
    await Bun.sleep(REMOVE_PAUSE_MS)
  }
}

function holdsPostgres(path: string): boolean {
  if (!existsSync(path)) return false
  return !new Glob(POSTGRES_DATA).scanSync({ cwd: path, onlyFiles: false }).next().done
}
