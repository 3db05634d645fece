import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createIdSource, type KeyId, type WorkspaceId } from '../../core/id.ts'
import { nano } from '../../core/money.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { MIGRATIONS, UnknownSchema } from '../migrations/migrations.ts'
import { createChangeFeed } from './changes.ts'
import { openConnection } from './connection.ts'
import { openSqliteStore } from './openSqliteStore.ts'
import { createStatements } from './statements.ts'

const ids = createIdSource(Date.now, (bytes) => crypto.getRandomValues(bytes))
const NOON = Date.UTC(2026, 10, 20, 12)
let folder = ''
let path = ''

const open = () => openSqliteStore({ path, durability: 'default', now: () => NOON })

/** A store with one workspace of which the ledger has three lines. */
async function withLedger(): Promise<WorkspaceId> {
  const store = await open()
  const id = ids.workspace()
  await store.directory.createWorkspace({
    id,
    name: 'Acme',
    type: 'personal',
    requestsPerMinute: null,
    models: null,
    keepResponses: true,
    createdAt: NOON,
  })
  for (const amount of [10n, 20n, 30n]) {
    await store.books.credit({
      id: ids.transfer(),
      workspaceId: id,
      kind: 'topup',
      amount: nano(amount),
      note: null,
      at: NOON,
      idempotencyKey: null,
    })
  }
  await store.close()
  return id
}

function tamper(statement: string): void {
  const db = new Database(path)
  db.run(statement)
  db.close()
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-sqlite-'))
  path = join(folder, 'data', 'tollgate.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a new database is not begun beside the log of one that is gone', async () => {
  const store = await open()
  rmSync(path)
  expect(open()).rejects.toThrow('-wal is still there')
  await store.close()
})

describe('opening', () => {
  test('creates the folder and the file, and leaves one whole file when it is closed', async () => {
    await withLedger()
    expect(readdirSync(join(folder, 'data'))).toEqual(['tollgate.db'])
  })

  test('twice at the same time migrates once', async () => {
    const stores = await Promise.all([open(), open()])
    for (const store of stores) await store.ping()
    for (const store of stores) await store.close()
    const db = new Database(path)
    const applied = db.query<{ id: string }, []>('select id from schema_migrations').all()
    expect(applied.map(({ id }) => id)).toEqual(MIGRATIONS.map(({ id }) => id))
    db.close()
  })

  test('refuses a database that a newer version wrote, and says so', async () => {
    await withLedger()
    tamper("insert into schema_migrations (id, applied_at) values ('9999-future', 0)")
    const error: unknown = await open().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(UnknownSchema)
    expect(String(error)).toContain('9999-future')
  })

  test.each([
    ['its tables', 'create table invoices (id text)'],
    ['a table of one of our names', 'create table workspaces (id text)'],
    ['its own schema_migrations', 'create table schema_migrations (version text)'],
    ['its name in the head', 'pragma application_id = 252006675'],
  ])(
    'refuses the database of another program, known by %s, and changes nothing in it',
    async (_what, made) => {
      mkdirSync(dirname(path))
      const theirs = new Database(path, { create: true })
      theirs.run(made)
      theirs.close()
      const before = readFileSync(path)
      for (const access of ['change', 'read'] as const) {
        const opening = openSqliteStore({ path, durability: 'default', now: () => NOON, access })
        expect(await opening.catch((error: unknown) => error)).toMatchObject({
          name: 'StoreUnavailable',
          message: expect.stringContaining('of another program'),
        })
      }
      expect(readFileSync(path).equals(before)).toBe(true)
      expect(readdirSync(dirname(path))).toEqual([basename(path)])
    },
  )

  test('refuses what is no database, no file or not in a folder', async () => {
    const refusals = [':memory:', '', join(folder, 'text.db'), join(folder, 'text.db', 'inside.db')]
    writeFileSync(join(folder, 'text.db'), 'this is certainly not a database'.repeat(100))
    for (const wrong of refusals) {
      const opening = openSqliteStore({ path: wrong, durability: 'default', now: () => NOON })
      expect(await opening.catch((error: unknown) => error)).toBeInstanceOf(StoreUnavailable)
    }
  })

  test('syncs every commit when it is to be strict, and writes ahead in any case', () => {
    for (const [durability, level] of [
      ['default', 1n],
      ['strict', 2n],
    ] as const) {
      const db = openConnection(join(folder, `${durability}.db`), durability)
      expect(db.query('pragma synchronous').get()).toEqual({ synchronous: level })
      expect(db.query('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' })
      db.close()
    }
  })
})

describe('verification', () => {
  const verify = async () => {
    const store = await open()
    const found = await Array.fromAsync(store.books.verify())
    await store.close()
    return found[0]
  }

  test('finds a line that was changed', async () => {
    await withLedger()
    expect(await verify()).toMatchObject({ balance: 60n, ledgerBalance: 60n, brokenAt: null })
    tamper('update transfers set amount = 21 where amount = 20')
    expect(await verify()).toMatchObject({
      ledgerBalance: 61n,
      balance: 60n,
      brokenAt: expect.stringMatching(/^tr_/),
    })
  })

  test('finds a line that is missing, and a balance that was changed', async () => {
    await withLedger()
    tamper('update workspaces set balance = 1000')
    expect(await verify()).toMatchObject({ ledgerBalance: 60n, balance: 1_000n, brokenAt: null })
    tamper('delete from transfers where amount = 10')
    expect(await verify()).toMatchObject({ transfers: 2, brokenAt: expect.stringMatching(/^tr_/) })
  })

  test('the file itself refuses a balance below what is held', async () => {
    await withLedger()
    expect(() => tamper('update workspaces set held = 61')).toThrow('CHECK')
    expect(() => tamper('update workspaces set balance = -1')).toThrow('CHECK')
  })
})

test('a process that missed more changes than are kept hears that anything may have changed', async () => {
  const workspaceId = await withLedger()
  const db = openConnection(path, 'default')
  const statements = createStatements(db)
  const feed = createChangeFeed(statements)
  const heard = Promise.withResolvers<{ key?: KeyId; workspace?: WorkspaceId }>()
  feed.subscribe(heard.resolve)
  const rename = db.query('update workspaces set name = ? where id = ?')
  db.transaction(() => {
    for (let i = 0; i < 1_200; i++) rename.run(`name ${i}`, workspaceId)
  })()
  expect(await heard.promise).toEqual({})
  const kept = db.query<{ count: bigint }, []>('select count(*) as count from changes').get()
  expect(kept?.count).toBeLessThan(1_200n)
  feed.close()
  statements.finalize()
  db.close()
})
