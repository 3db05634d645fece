import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { skipFor } from '../../../../test/support/runEvents.ts'
import { createIdSource } from '../../../core/id.ts'
import { nano } from '../../../core/money.ts'
import type { AuditEntry } from '../../../core/ports/audit.ts'
import { SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import type { Store } from '../../../core/ports/store.ts'
import { openSqliteStore } from '../openSqliteStore.ts'
import { takePlaceOf } from './takePlaceOf.ts'
import { createSqliteSafekeeping } from './safekeeping.ts'

const ids = createIdSource(Date.now, (bytes) => crypto.getRandomValues(bytes))
const NOON = Date.UTC(2026, 10, 20, 12)
const ORDER = { at: NOON, unsound: false, overwrite: false, progress: () => undefined }

let folder = ''
let path = ''
let file = ''

const open = (at = path) => openSqliteStore({ path: at, durability: 'default', now: () => NOON })
const keeping = (at = path) => createSqliteSafekeeping(at)
const backUp = (more = {}) => keeping().backup({ ...ORDER, file, ...more })
const RECORD: AuditEntry = {
  id: ids.audit(),
  at: NOON,
  lastAt: NOON,
  count: 1,
  action: 'database.restore',
  actor: { kind: 'command_line', name: 'ada' },
  address: 'desk',
  requestId: null,
  workspaceId: null,
  subject: null,
  changes: { file: { before: null, after: 'copy.db' } },
}
const restore = (more = {}) => keeping().restore({ ...ORDER, file, record: RECORD, ...more })

/** One more workspace with one transfer. */
async function book(store: Store, at: number): Promise<void> {
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
  await store.books.credit({
    id: ids.transfer(),
    workspaceId: id,
    kind: 'topup',
    amount: nano(10n),
    note: null,
    at,
    idempotencyKey: null,
  })
}

/** Books once and lets go of the database. */
async function bookOnce(at = NOON): Promise<void> {
  const store = await open()
  await book(store, at)
  await store.close()
}

function tamper(at: string, statement: string): void {
  const db = new Database(at)
  db.run(statement)
  db.close()
}

async function workspacesIn(at: string): Promise<number> {
  const store = await open(at)
  const { items } = await store.directory.workspaces({ limit: 100 })
  await store.close()
  return items.length
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(SafekeepingRefused)
  return String(error)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-keep-'))
  path = join(folder, 'data', 'tollgate.db')
  file = join(folder, 'copy.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a backup', () => {
  test('holds what was committed, while the database is open and has it only in its log', async () => {
    const store = await open()
    await book(store, NOON)
    await book(store, NOON + 5)
    const made = await backUp()
    expect(made).toEqual({
      file,
      bytes: statSync(file).size,
      workspaces: 2,
      transfers: 2,
      lastTransferAt: NOON + 5,
      sound: true,
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await book(store, NOON)
    await store.close()
    expect(await workspacesIn(file)).toBe(2)
  })

  test('leaves one file and nothing beside it', async () => {
    await bookOnce()
    await backUp()
    expect(readdirSync(folder).toSorted()).toEqual(['copy.db', 'data'])
    expect(readdirSync(join(folder, 'data'))).toEqual(['tollgate.db'])
  })

  test('overwrites a file only when it is told to, and never the database', async () => {
    await bookOnce()
    writeFileSync(file, 'mine')
    expect(await refusalOf(backUp())).toContain('--force overwrites it')
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(await refusalOf(backUp({ file: path, overwrite: true }))).toContain('the database itself')
    expect(await backUp({ overwrite: true })).toMatchObject({ workspaces: 1 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('is not made of a database whose ledger does not add up, unless that is accepted', async () => {
    await bookOnce()
    tamper(path, 'update workspaces set balance = 1000')
    expect(await refusalOf(backUp())).toContain('does not add up')
    expect(readdirSync(folder)).toEqual(['data'])
    expect(await backUp({ unsound: true })).toMatchObject({ sound: false, workspaces: 1 })
  })

  test('of a database of a newer version names that database, not the copy', async () => {
    await bookOnce()
    tamper(path, "insert into schema_migrations values ('9999-future', 0)")
    const refusal = await refusalOf(backUp())
    expect(refusal).toContain(`${path}: the database was written by a newer version`)
    expect(refusal).not.toContain('unfinished')
  })

  test('removes what killed backups left of this file a day ago and more, and nothing else', async () => {
    await bookOnce()
    const left = (name: string, hours: number) => {
      const at = join(folder, name)
      writeFileSync(at, '')
      const seconds = Date.now() / 1_000 - hours * 3_600
      utimesSync(at, seconds, seconds)
    }
    left('copy.db.unfinished-0123abcd', 25)
    left('copy.db.unfinished-0123abcd-journal', 25)
    left('copy.db.unfinished-4567abcd-journal', 26)
    left('copy.db.unfinished-89ababcd', 23)
    left('copy.db.unfinished-cdefabcd', 30)
    left('copy.db.unfinished-cdefabcd-journal', 1)
    left('copy.db.unfinished-of-mine', 99)
    left('other.db.unfinished-0123abcd', 99)
    await backUp()
    expect(readdirSync(folder).toSorted()).toEqual([
      'copy.db',
      'copy.db.unfinished-89ababcd',
      'copy.db.unfinished-cdefabcd',
      'copy.db.unfinished-cdefabcd-journal',
      'copy.db.unfinished-of-mine',
      'data',
      'other.db.unfinished-0123abcd',
    ])
    writeFileSync(`${path}.unfinished-0123abcd`, '')
    utimesSync(`${path}.unfinished-0123abcd`, 0, 0)
    await restore()
    expect(existsSync(`${path}.unfinished-0123abcd`)).toBe(false)
  })

  test('of a disk that takes no more says that it may be full', async () => {
    await bookOnce()
    const keep = new URL('safekeeping.ts', import.meta.url).pathname
    const order = JSON.stringify({ ...ORDER, file })
    const program = `import { createSqliteSafekeeping } from ${JSON.stringify(keep)}
      const order = { ...${order}, progress: () => undefined }
      await createSqliteSafekeeping(${JSON.stringify(path)}).backup(order).catch((error) => console.log(error.message))`
    // No file may be longer than 64 KiB; the signal for that is ignored, so the write itself fails.
    const limited = `trap '' XFSZ; ulimit -f 128; exec "$0" -e "$1"`
    const { stdout } = Bun.spawnSync(['/bin/sh', '-c', limited, process.execPath, program])
    expect(String(stdout)).toMatch(
      /cannot be copied: .*\(SQLITE_(IOERR_\w+|FULL)\); its disk (may be|is) full/,
    )
    expect(readdirSync(folder)).toEqual(['data'])
  })

  test('of a database that is not there creates nothing', async () => {
    expect(await refusalOf(backUp())).toContain('there is no database at')
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a restore', () => {
  beforeEach(async () => {
    await bookOnce(NOON)
    await backUp()
    await bookOnce(NOON + 1)
  })

  test('puts the backup in the place of the database and keeps what was there', async () => {
    chmodSync(file, 0o444)
    const made = await restore()
    const before = `${path}.before-restore-20261120T120000Z`
    expect(made).toMatchObject({ file, before, workspaces: 1, lastTransferAt: NOON })
    expect(readdirSync(join(folder, 'data')).toSorted()).toEqual([
      'tollgate.db',
      'tollgate.db.before-restore-20261120T120000Z',
    ])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await workspacesIn(path)).toBe(1)
    expect(await workspacesIn(before)).toBe(2)
    expect(await workspacesIn(file)).toBe(1)
  })

  test('twice in one second keeps both databases that were there', async () => {
    const kept = [(await restore()).before, (await restore()).before]
    expect(kept).toEqual(['', '-2'].map((more) => `${path}.before-restore-20261120T120000Z${more}`))
    expect(await Promise.all(kept.map((before = '') => workspacesIn(before)))).toEqual([2, 1])
  })

  test('names what was revoked since and is in force again, and is in the audit log', async () => {
    const store = await open()
    const tokens = ['before', 'since', 'never'].map((name) => ({ id: ids.adminToken(), name }))
    for (const { id, name } of tokens)
      await store.adminTokens.create({ id, name, hint: 'tga_…', secretHash: name, createdAt: NOON })
    const [before, since] = tokens
    const workspaceId = (await store.directory.workspaces({ limit: 1 })).items[0]?.id ?? ids.workspace()
    const key = { id: ids.key(), workspaceId, name: 'ci', hint: 'tg_…', secretHash: 'ci', createdAt: NOON }
    const limits = { requestsPerMinute: null, requestsPerDay: null, monthlySpend: null }
    const made = { ...key, ...limits, concurrentRequests: null, models: null, expiresAt: null }
    await store.directory.createKey(made)
    await store.adminTokens.revoke(before?.id ?? ids.adminToken(), NOON)
    await store.close()
    await backUp({ overwrite: true })
    const later = await open()
    await later.adminTokens.revoke(since?.id ?? ids.adminToken(), NOON)
    await later.directory.revokeKey(key.id, NOON)
    const newer = { ...made, id: ids.key(), secretHash: 'newer' }
    await later.directory.createKey(newer)
    await later.directory.revokeKey(newer.id, NOON)
    await later.close()

    expect((await restore()).inForceAgain).toEqual([
      { kind: 'key', id: key.id, name: 'ci' },
      { kind: 'admin token', id: since?.id ?? '', name: 'since' },
    ])
    const restored = await open()
    expect((await restored.audit.entries({ limit: 10 })).items).toEqual([RECORD])
    await restored.close()
  })

  describe('after one that was interrupted', () => {
    const BEFORE = 'before-restore-20261120T120000Z'
    /** Its result is lost, as that of a command which is killed. */
    const interrupted = {
      'once the backup was in place': async () => void (await restore()),
      twice: async () => {
        await restore()
        await restoreAt(1)
      },
      'once the database had its second name': async () => linkSync(path, `${path}.${BEFORE}`),
      'between both renames, where files have one name': async () => renameSync(path, `${path}.${BEFORE}`),
    }
    const restoreAt = (seconds: number) => {
      const at = NOON + seconds * 1_000
      return restore({ at, record: { ...RECORD, id: ids.audit(), at, lastAt: at } })
    }

    /** Made before the backup, and revoked after it. */
    async function revokeOne() {
      const id = ids.adminToken()
      const store = await open()
      await store.adminTokens.create({ id, name: 'old', hint: 'tga_…', secretHash: 'old', createdAt: NOON })
      await store.close()
      await backUp({ overwrite: true })
      const later = await open()
      await later.adminTokens.revoke(id, NOON)
      await later.close()
      return { kind: 'admin token' as const, id: String(id), name: 'old' }
    }

    test.each(Object.entries(interrupted))('%s names what is valid again', async (_, interrupt) => {
      const revoked = await revokeOne()
      await interrupt()
      expect((await restoreAt(2)).inForceAgain).toEqual([revoked])
    })

    test('changes nothing where the database that it has put aside cannot be read', async () => {
      await revokeOne()
      const { before = '' } = await restore()
      const old = readFileSync(before)
      writeFileSync(before, 'certainly not a database'.repeat(100))
      expect(await refusalOf(restoreAt(2))).toContain(`${before} cannot be read (`)
      writeFileSync(before, old)
      expect((await restoreAt(2)).inForceAgain).toMatchObject([{ name: 'old' }])
    })

    test('and not after one that the backup knows', async () => {
      await revokeOne()
      await restore()
      await backUp({ overwrite: true })
      expect((await restoreAt(2)).inForceAgain).toEqual([])
    })
  })

  test('makes a database where there was none, and no log of an earlier one is replayed into it', async () => {
    const store = await open()
    await book(store, NOON)
    copyFileSync(`${path}-wal`, join(folder, 'stale-wal'))
    await store.close()
    rmSync(path)
    copyFileSync(join(folder, 'stale-wal'), `${path}-wal`)
    expect(await restore()).toMatchObject({ before: undefined, workspaces: 1 })
    expect(readdirSync(join(folder, 'data'))).toEqual(['tollgate.db'])
    expect(await workspacesIn(path)).toBe(1)
  })

  test('keeps what a killed process left in the log of the database that is put aside', async () => {
    const killed = Bun.spawnSync([
      process.execPath,
      '-e',
      `import { Database } from 'bun:sqlite'
       new Database(${JSON.stringify(path)}).run("update workspaces set name = 'in the log'")
       process.kill(process.pid, 'SIGKILL')`,
    ])
    expect(killed.signalCode).toBe('SIGKILL')
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    const { before = '' } = await restore()
    const db = new Database(before, { readonly: true })
    expect(db.query('select distinct name from workspaces').all()).toEqual([{ name: 'in the log' }])
    db.close()
  })

  test('is refused while somebody has the database open, and changes nothing', async () => {
    const store = await open()
    expect(await refusalOf(restore())).toContain('is in use by another process: stop the gateway first')
    await book(store, NOON)
    await store.close()
    expect(await workspacesIn(path)).toBe(3)
    expect(readdirSync(join(folder, 'data'))).toEqual(['tollgate.db'])
  })

  test.each<[string, (file: string) => void, string]>([
    ['is no database', (at) => writeFileSync(at, 'certainly not a database'.repeat(100)), 'not a database'],
    ['is empty', (at) => writeFileSync(at, ''), 'not a database of Tollgate'],
    [
      'is the database of another program',
      (at) => (rmSync(at), tamper(at, 'create table t (a)')),
      'not a database of Tollgate',
    ],
    [
      'was written by a newer version',
      (at) => tamper(at, "insert into schema_migrations values ('9999-future', 0)"),
      '9999-future',
    ],
    [
      'does not add up',
      (at) => tamper(at, 'update transfers set amount = amount + 1'),
      'its ledger does not add up',
    ],
    ['is damaged', (at) => damage(at), 'damaged'],
    [
      'has a trigger of another',
      (at) => tamper(at, 'create trigger give after update on workspaces begin select 1; end'),
      'a trigger that is not of Tollgate: give',
    ],
    [
      'has a trigger by the name of one of ours',
      (at) => {
        tamper(at, 'drop trigger key_created')
        tamper(at, 'create trigger key_created after insert on keys begin select 1; end')
      },
      'a trigger that is not of Tollgate: key_created',
    ],
    [
      'has a view',
      (at) => tamper(at, 'create view rich as select 1'),
      'a view that is not of Tollgate: rich',
    ],
    [
      'has a table of another',
      (at) => tamper(at, 'create table t (a)'),
      'a table that is not of Tollgate: t',
    ],
    ['is a folder', (at) => (rmSync(at), mkdirSync(at)), 'is not a regular file'],
    ['never ends', (at) => (rmSync(at), Bun.spawnSync(['mkfifo', at])), 'is not a regular file'],
    ['is not there', (at) => rmSync(at), 'there is no file'],
  ])('of a file that %s is refused and changes nothing', async (_, spoil, words) => {
    spoil(file)
    expect(await refusalOf(restore())).toContain(words)
    expect(readdirSync(join(folder, 'data'))).toEqual(['tollgate.db'])
    expect(await workspacesIn(path)).toBe(2)
  })

  test('in the place of a database that cannot be opened says what to do, and changes nothing', async () => {
    writeFileSync(path, 'certainly not a database'.repeat(100))
    expect(await refusalOf(restore())).toContain('move the file and its -wal away')
    rmSync(path)
    expect(await restore()).toMatchObject({ workspaces: 1 })
  })

  test('of a copy that has a log beside it takes what is in the log', async () => {
    const store = await open()
    await book(store, NOON)
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, file + suffix)
    await store.close()
    expect(await restore()).toMatchObject({ workspaces: 3 })
  })
})

/** The head of the last page. */
function damage(at: string): void {
  const bytes = readFileSync(at)
  bytes.fill(0xff, bytes.length - 4096, bytes.length - 4088)
  writeFileSync(at, bytes)
}

const NO_PROC = existsSync('/proc/self/fd') ? undefined : 'no /proc shows which files a process has open'

test.skipIf(skipFor(NO_PROC))(
  'a process that waited for the lock of a restore does not go on with the database that was put aside',
  async () => {
    await bookOnce()
    const lock = new Database(path)
    lock.run('pragma journal_mode = delete')
    lock.run('begin exclusive')
    const store = new URL('../openSqliteStore.ts', import.meta.url).pathname
    const opening = Bun.spawn(
      [
        process.execPath,
        '-e',
        `import { openSqliteStore } from ${JSON.stringify(store)}
       await openSqliteStore({ path: ${JSON.stringify(path)}, durability: 'default', now: Date.now })`,
      ],
      { stderr: 'pipe' },
    )
    const descriptors = `/proc/${opening.pid}/fd`
    const opened = () =>
      readdirSync(descriptors).some((fd) => {
        try {
          return readlinkSync(join(descriptors, fd)) === path
        } catch {
          // It was closed meanwhile.
          return false
        }
      })
    while (!opened()) await Bun.sleep(1)
    writeFileSync(`${path}.other`, '')
    rmSync(path)
    copyFileSync(`${path}.other`, path)
    lock.run('rollback')
    lock.close()
    expect(await new Response(opening.stderr).text()).toContain('was replaced while it was being opened')
    expect(await opening.exited).not.toBe(0)
    expect(statSync(path).size).toBe(0)
    expect(takePlaceOf(`${path}.none`, `${path}.other`, `${path}.kept`, () => undefined)).toBe(false)
  },
)
