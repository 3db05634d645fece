import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdSource } from '../../core/id.ts'
import type { Store } from '../../core/ports/store.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { openSqliteStore } from './openSqliteStore.ts'

const ids = createIdSource(Date.now, (bytes) => crypto.getRandomValues(bytes))
const LIMIT_MS = 30_000

let folder = ''
let path = ''
let store: Store
let heard: string[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-health-'))
  path = join(folder, 'tollgate.db')
  heard = []
  store = await openSqliteStore({
    path,
    durability: 'default',
    now: Date.now,
    onHealth: (fault) => heard.push(fault?.message ?? 'well'),
  })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Proves until the store is as it should be: what was proved last is said for a while. */
async function untilProof(well: boolean): Promise<void> {
  while (((await faultOf(store.ping())) === undefined) !== well) await Bun.sleep(10)
}

/** Everything that is written or read, refused. */
async function expectClosed(): Promise<void> {
  const asks: readonly Promise<unknown>[] = [
    store.directory.workspaces({ limit: 1 }),
    store.till.sweep(Date.now()),
    store.till.renew([ids.request('chatcmpl-')], Date.now()),
    store.answers.expire(0),
  ]
  for (const fault of await Promise.all(asks.map(faultOf))) expect(fault).toBeInstanceOf(StoreUnavailable)
}

describe('a proof that the store can commit', () => {
  test('is one commit for everybody who asks within a while', async () => {
    const before = statSync(`${path}-wal`).size
    await store.ping()
    const once = statSync(`${path}-wal`).size
    expect(once).toBeGreaterThan(before)
    await Promise.all(Array.from({ length: 100 }, () => store.ping()))
    for (let i = 0; i < 100; i++) await store.ping()
    expect(statSync(`${path}-wal`).size).toBe(once)
    expect(heard).toEqual([])
  })

  test(
    'fails in bounded time while another process holds the lock, and succeeds again after it',
    async () => {
      const other = new Database(path)
      other.run('begin immediate')
      expect(await faultOf(store.ping())).toBeInstanceOf(StoreUnavailable)
      await faultOf(store.ping())
      expect(heard).toHaveLength(1)
      other.run('rollback')
      other.close()
      await untilProof(true)
      expect(heard.at(-1)).toBe('well')
    },
    LIMIT_MS,
  )
})

describe('a file that is not the one that the path names', () => {
  test(
    'because it was moved away closes the store until it is back',
    async () => {
      renameSync(path, `${path}.away`)
      await untilProof(false)
      await expectClosed()
      renameSync(`${path}.away`, path)
      await untilProof(true)
      expect(await store.till.sweep(Date.now())).toBe(0)
      expect(heard).toEqual([expect.stringContaining('was deleted while it is open'), 'well'])
    },
    LIMIT_MS,
  )

  test(
    'because it was replaced closes the store, and nothing is written into either',
    async () => {
      await store.ping()
      copyFileSync(path, `${path}.other`)
      const log = statSync(`${path}-wal`).size
      renameSync(`${path}.other`, path)
      await untilProof(false)
      await expectClosed()
      expect(statSync(`${path}-wal`).size).toBe(log)
      expect(heard).toEqual([expect.stringContaining('was replaced while it is open')])
    },
    LIMIT_MS,
  )

  test(
    'because its log was deleted closes the store: what is in it alone would be lost',
    async () => {
      rmSync(`${path}-wal`)
      await untilProof(false)
      await expectClosed()
      expect(heard).toEqual([expect.stringContaining('-wal was deleted while it is open')])
    },
    LIMIT_MS,
  )
})
