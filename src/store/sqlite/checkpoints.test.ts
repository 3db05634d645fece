import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCheckpoints } from './checkpoints.ts'
import { letCommitsCheckpoint, openConnection } from './connection.ts'

const PAGE_BYTES = 4_096
/** More than the log is left with when it is begun anew, less than the test takes seconds for. */
const ROWS = 6_000

let folder = ''
let file = ''
let db: Database
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-checkpoints-'))
  file = join(folder, 'test.db')
  db = openConnection(file, 'default')
  db.run('create table things (text text not null)')
})
afterEach(() => rmSync(folder, { recursive: true }))

function create() {
  const handovers: boolean[] = []
  const warnings: string[] = []
  const checkpoints = createCheckpoints({
    file,
    letCommitsCheckpoint: (they) => {
      handovers.push(they)
      letCommitsCheckpoint(db, they)
    },
    warn: (sentence) => void warnings.push(sentence),
    afterMs: 1,
  })
  return { checkpoints, handovers, warnings }
}

function write(rows: number): void {
  db.run('begin immediate')
  for (let i = 0; i < rows; i++) db.run('insert into things values (?)', ['x'.repeat(PAGE_BYTES)])
  db.run('commit')
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(10)
}

test('a short log is left to SQLite, without a thread', async () => {
  const { checkpoints, handovers } = create()
  write(10)
  checkpoints.committed()
  await Bun.sleep(20)
  expect(handovers).toEqual([])
  await checkpoints.close()
  db.close()
})

test('a long log is brought into the file and begun anew while the connection goes on', async () => {
  letCommitsCheckpoint(db, false)
  const { checkpoints, handovers } = create()
  write(ROWS)
  const long = statSync(`${file}-wal`).size
  checkpoints.committed()
  await until(() => statSync(file).size > ROWS * PAGE_BYTES)
  expect(handovers).toEqual([false])
  // The log is begun anew: what is written now goes to its beginning.
  await checkpoints.close()
  write(10)
  expect(statSync(`${file}-wal`).size).toBe(long)
  expect(db.query('select count(*) as count from things').get()).toEqual({ count: BigInt(ROWS + 10) })
  db.close()
  expect(readdirSync(folder)).toEqual(['test.db'])
})

test('while the thread cannot do it, commits do it, and the operator is told once', async () => {
  write(1_000)
  const { checkpoints, handovers, warnings } = create()
  renameSync(file, `${file}.away`)
  checkpoints.committed()
  await until(() => warnings.length === 1)
  renameSync(`${file}.away`, file)
  checkpoints.committed()
  await until(() => handovers.length === 3)
  expect(handovers).toEqual([false, true, false])
  expect(warnings.length).toBe(1)
  await checkpoints.close()
  db.close()
})
