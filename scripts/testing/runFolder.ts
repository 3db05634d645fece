import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readProcess } from './processes.ts'

const RUN_FOLDER = /^tollgate-test-(\d+)$/
/** What tests that were started without the test command leave when they are killed; none of them runs this long. */
const STRAY_FOLDER = /^tollgate-[a-z]+-\w{6}$/
const STRAY_AFTER_MS = 24 * 60 * 60_000
/** A server that ends removes files of the folder while we do. */
const REMOVE_RETRIES = 20

/**
 * The temporary directory of one run: everything that its tests write lies below, so that it can be removed
 * whatever ended the run. Removes what earlier runs left.
 */
export function createRunFolder(): { readonly path: string; remove(): void } {
  const parent = tmpdir()
  for (const name of readdirSync(parent)) {
    if (isLeft(parent, name)) remove(join(parent, name))
  }
  const path = join(parent, `tollgate-test-${process.pid}`)
  remove(path)
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

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: REMOVE_RETRIES, retryDelay: 50 })
}
