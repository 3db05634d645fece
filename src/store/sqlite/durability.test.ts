import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openConnection } from './connection.ts'
import { createLogSync } from './durability.ts'

const FOLDER_PREFIX = join(tmpdir(), 'tollgate-sync-')

test('opening the log beside SQLite and closing it takes away no lock of SQLite', () => {
  const folder = mkdtempSync(FOLDER_PREFIX)
  const path = join(folder, 'sync.db')
  const first = openConnection(path, 'default')
  first.run('create table things (name text)')
  first.run('begin immediate')
  first.run("insert into things values ('a')")
  createLogSync(path).close()
  const intruder = Bun.spawnSync([
    process.execPath,
    '-e',
    `import { Database } from 'bun:sqlite'; new Database(${JSON.stringify(path)}).run('begin immediate')`,
  ])
  expect(intruder.exitCode).not.toBe(0)
  expect(intruder.stderr.toString()).toContain('database is locked')
  first.run('commit')
  first.close()
  rmSync(folder, { recursive: true })
})

test('a commit is synced soon, and once for many', async () => {
  const folder = mkdtempSync(FOLDER_PREFIX)
  const path = join(folder, 'sync.db')
  const db = openConnection(path, 'default')
  db.run('create table things (name text)')
  const synced: number[] = []
  const log = createLogSync(path, () => synced.push(readFileSync(`${path}-wal`).length))
  for (let i = 0; i < 50; i++) {
    db.run("insert into things values ('a')")
    log.committed()
  }
  while (synced.length === 0) await Bun.sleep(1)
  expect(synced).toEqual([readFileSync(`${path}-wal`).length])
  expect(log.failure()).toBeUndefined()
  log.committed()
  while (synced.length < 2) await Bun.sleep(1)
  log.close()
  db.close()
  rmSync(folder, { recursive: true })
})
