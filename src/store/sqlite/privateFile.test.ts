import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Store } from '../../core/ports/store.ts'
import { openSqliteStore } from './openSqliteStore.ts'

const WIDE_UMASK = 0o000
const NARROW_UMASK = 0o377

let folder = ''
let path = ''
let store: Store | undefined
const umaskBefore = process.umask()

const open = async () => {
  store = await openSqliteStore({ path, durability: 'default', now: Date.now })
  return store
}
const modeOf = (file: string) => `0${(statSync(file).mode & 0o777).toString(8)}`
/** Of the database and of what SQLite keeps beside it. */
const modes = () => ['', '-wal', '-shm'].map((suffix) => modeOf(path + suffix))

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-private-'))
  path = join(folder, 'new', 'data', 'tollgate.db')
})
afterEach(async () => {
  process.umask(umaskBefore)
  await store?.close()
  store = undefined
  rmSync(folder, { recursive: true })
})

describe('a new database', () => {
  test.each([
    ['lets everybody in', WIDE_UMASK],
    ['keeps even the owner out', NARROW_UMASK],
  ])('is readable by its owner only, and so is its folder, where the umask %s', async (_, umask) => {
    mkdirSync(join(folder, 'new'))
    process.umask(umask)
    await open()
    expect(modes()).toEqual(['0600', '0600', '0600'])
    expect(modeOf(dirname(path))).toBe('0700')
  })

  test('leaves the permissions of a folder that was there as they are', async () => {
    mkdirSync(dirname(path), { recursive: true })
    chmodSync(dirname(path), 0o755)
    await open()
    expect(modeOf(dirname(path))).toBe('0755')
  })
})

describe('a database that others may read', () => {
  test('is theirs no longer once it was opened', async () => {
    await (await open()).close()
    for (const wide of [0o644, 0o660, 0o666]) {
      chmodSync(path, wide)
      await (await open()).close()
      expect(modeOf(path)).toBe('0600')
    }
  })

  test('and its write-ahead log, left by a process that was killed, are theirs no longer', async () => {
    const killed = Bun.spawnSync([
      process.execPath,
      '-e',
      `import { Database } from 'bun:sqlite'
       import { mkdirSync } from 'node:fs'
       process.umask(0o022)
       mkdirSync(${JSON.stringify(dirname(path))}, { recursive: true })
       const db = new Database(${JSON.stringify(path)})
       db.run('pragma journal_mode = wal')
       db.run('create table schema_migrations (id text primary key, applied_at bigint)')
       process.kill(process.pid, 'SIGKILL')`,
    ])
    expect(killed.signalCode).toBe('SIGKILL')
    expect(modes()).toEqual(['0644', '0644', '0644'])
    await open()
    expect(modes()).toEqual(['0600', '0600', '0600'])
  })

  test('is theirs no longer where the configuration names a link to it', async () => {
    const named = path
    path = join(folder, 'real.db')
    await (await open()).close()
    chmodSync(path, 0o644)
    mkdirSync(dirname(named), { recursive: true })
    symlinkSync(path, named)
    const real = path
    path = named
    await open()
    path = real
    expect(modes()).toEqual(['0600', '0600', '0600'])
  })

  test('is not made wider', async () => {
    await (await open()).close()
    chmodSync(path, 0o400)
    await open().then(
      (opened) => opened.close(),
      () => 'only the superuser can write into it',
    )
    expect(modeOf(path)).toBe('0400')
  })
})
