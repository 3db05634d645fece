import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../src/store/sqlite/openSqliteStore.ts'

let empty: Promise<Buffer> | undefined

/** A database file without any rows, in a folder; gives its path. Its schema is created once for a test process. */
export async function copyOfEmptyDatabase(folder: string): Promise<string> {
  const path = join(folder, 'tollgate.db')
  empty ??= createEmpty()
  await writeFile(path, await empty, { mode: 0o600 })
  return path
}

async function createEmpty(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-empty-'))
  const path = join(folder, 'tollgate.db')
  const store = await openSqliteStore({ path, durability: 'default', now: Date.now })
  await store.close()
  const bytes = await readFile(path)
  await rm(folder, { recursive: true })
  return bytes
}
