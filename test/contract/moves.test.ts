import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { type Moved, MoveRefused, type MoveOrder } from '../../src/core/ports/move.ts'
import { StoreUnavailable } from '../../src/core/ports/till.ts'
import { move } from '../../src/store/move/move.ts'
import { movedTables } from '../../src/store/move/tables.ts'
import { openStore, type StoreSettings } from '../../src/store/open.ts'
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts'
import { openInspector } from '../support/inspector.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { rejectionOf } from '../support/rejection.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { fillBooks, rowsIn } from '../support/filledBooks.ts'
import { createCustomer, ids, NOON, proveLedgers } from './customer.ts'

/** What a move refuses, and what becomes of one that is interrupted. */

const TABLES = movedTables().map(({ name }) => name)

/** When a second part of the credits is copied: two parts of each table before them, and the first one is said at the start. */
const CREDITS_STEP = 1 + 2 * TABLES.indexOf('credits') + 2

let folder: string
/** A database with one of everything, that no test changes. */
let books: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-moves-'))
  books = join(folder, 'books.db')
  await fillBooks(`sqlite:${books}`, sqlite(books))
}, TEST_LIMIT_MS)
afterAll(() => rmSync(folder, { recursive: true }))

function sqlite(path: string): StoreSettings {
  return { engine: 'sqlite', path, durability: 'default' }
}

let files = 0
/** The path of a file that is not there yet. */
function newFile(): string {
  return join(folder, `${files++}.db`)
}

function copyOfBooks(): string {
  const path = newFile()
  copyFileSync(books, path)
  return path
}

async function newPostgres(): Promise<StoreSettings> {
  return { engine: 'postgres', url: await (await sharedPostgres()).createDatabase() }
}

function placeOf(settings: StoreSettings): string {
  return settings.engine === 'sqlite'
    ? `sqlite:${settings.path}`
    : `postgres:${new URL(settings.url).pathname}`
}

function orderOf(more: Partial<MoveOrder> = {}): MoveOrder {
  return {
    at: NOON,
    unsound: false,
    record: {
      id: ids.audit(),
      at: NOON,
      lastAt: NOON,
      count: 1,
      action: 'database.move',
      actor: { kind: 'gateway' },
      address: null,
      requestId: null,
      workspaceId: null,
      subject: null,
      changes: {},
    },
    progress: () => undefined,
    ...more,
  }
}

function run(from: StoreSettings, to: StoreSettings, more: Partial<MoveOrder> = {}): Promise<Moved> {
  return move({ settings: from, place: placeOf(from) }, { settings: to, place: placeOf(to) }, orderOf(more))
}

async function refusalOf(moving: Promise<unknown>): Promise<string> {
  const error = await rejectionOf(moving)
  if (!(error instanceof MoveRefused)) throw error
  return error.message
}

/** Runs a statement on the tables themselves. */
async function change(settings: StoreSettings, statement: string): Promise<void> {
  if (settings.engine === 'sqlite') {
    const db = new Database(settings.path)
    db.run(statement)
    db.close()
    return
  }
  const sql = new SQL(settings.url, { max: 1 })
  await sql.unsafe(statement)
  await sql.close()
}

/** In a process of its own, and waits for it without letting anything else go on here. */
function changeMeanwhile(settings: StoreSettings, statement: string): void {
  const url = settings.engine === 'postgres' ? settings.url : ''
  const script = `const sql = new Bun.SQL(${JSON.stringify(url)}, { max: 1 })
    await sql.unsafe(${JSON.stringify(statement)})
    await sql.close()`
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', script])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
}

async function migrated(settings: StoreSettings): Promise<StoreSettings> {
  await (await openStore(settings, { now: Date.now })).close()
  return settings
}

interface Engine {
  readonly name: string
  readonly skipped: boolean
  /** A database that is not there yet, or that has no tables. */
  create(): Promise<StoreSettings>
}

const ENGINES: readonly Engine[] = [
  { name: 'SQLite', skipped: false, create: async () => sqlite(newFile()) },
  { name: 'Postgres', skipped: mustSkip('moves into Postgres'), create: newPostgres },
]

for (const { name, skipped, create } of ENGINES) {
  describe.skipIf(skipped)(`a move into ${name}`, () => {
    test.each([
      ['copying', 4],
      ['copying', 12],
      ['comparing', 1],
      ['adding up transfers', 1],
    ])(
      'that is killed while it is %s (%i) goes on, and until then nothing else opens the database',
      async (step, times) => {
        const target = await create()
        await killed(sqlite(books), target, step, times)
        for (const access of ['read', 'change'] as const) {
          const error = await rejectionOf(openStore(target, { now: Date.now, access }))
          expect(error).toBeInstanceOf(StoreUnavailable)
          expect(String(error)).toContain('a move into this database has not ended')
        }
        expect(await refusalOf(run(sqlite(copyOfBooks()), target))).toContain(
          `a move from sqlite:${books} into`,
        )
        expect(await run(sqlite(books), target)).toMatchObject({ continued: true, sound: true })
        expect(await rowsIn(target, TABLES)).toEqual(await rowsIn(sqlite(books), TABLES))
        const warnings: string[] = []
        const store = await openStore(target, { now: Date.now, warn: (sentence) => warnings.push(sentence) })
        // A sequence of the ledgers that was left behind is one.
        expect(warnings).toEqual([])
        expect(await proveLedgers(store)).toBe(2)
        await store.close()
      },
      TEST_LIMIT_MS,
    )

    test(
      'that is killed within a table goes on behind its last row',
      async () => {
        const target = await create()
        const source = sqlite(copyOfBooks())
        await change(
          source,
          `with recursive n (i) as (select 1 union all select i + 1 from n where i < 5000)
            insert into credits (idempotency_key, transfer_id) select 'key ' || i, 'tr_1' from n`,
        )
        await killed(source, target, 'copying', CREDITS_STEP)
        const inspector = openInspector(target)
        const [copied] = await inspector.rows(
          "select count(*) as count from credits where transfer_id = 'tr_1'",
        )
        await inspector.close()
        expect(Number(copied?.['count'])).toBeWithin(1_000, 4_001)
        expect(await run(source, target)).toMatchObject({ continued: true })
        expect(await rowsIn(target, TABLES)).toEqual(await rowsIn(source, TABLES))
      },
      TEST_LIMIT_MS,
    )

    test(
      'does not go on when the source has changed since it began',
      async () => {
        const target = await create()
        const source = sqlite(copyOfBooks())
        await killed(source, target, 'copying', 4)
        const store = await openStore(source, { now: Date.now })
        await createCustomer(store, 7n)
        await store.close()
        expect(await refusalOf(run(source, target))).toContain(
          'has changed since the move began (workspaces)',
        )
      },
      TEST_LIMIT_MS,
    )

    test(
      'finds a cell that was changed in between, though nothing was added',
      async () => {
        const target = await create()
        const source = sqlite(copyOfBooks())
        await killed(source, target, 'comparing', 1)
        await change(source, "update keys set name = name || '!'")
        expect(await refusalOf(run(source, target))).toContain('has changed since the move began (keys)')
        expect(String(await rejectionOf(openStore(target, { now: Date.now })))).toContain('has not ended')
      },
      TEST_LIMIT_MS,
    )

    test('refuses a target with a single row, and changes nothing', async () => {
      const target = await migrated(await create())
      await change(
        target,
        "insert into refusals_by_code (key_id, day, code, refused) values ('key_1', 1, 'not_found', 1)",
      )
      expect(await refusalOf(run(sqlite(books), target))).toContain(
        'is not empty (refusals_by_code has rows)',
      )
      await migrated(target)
    })

    test('refuses a target that a move has filled, and says when that was and how to look at it', async () => {
      const target = await create()
      await run(sqlite(books), target)
      const refusal = await refusalOf(run(sqlite(books), target))
      expect(refusal).toContain(
        'is not empty (workspaces has rows): a move into it has ended, in the run of ',
      )
      expect(refusal).toContain(`${new Date(NOON).toISOString()}. If you meant that move`)
      expect(refusal).toContain('"tollgate audit --action database.move"')
      expect(refusal).toContain('"tollgate ledger verify"')
    })

    test('refuses a target that is served', async () => {
      const target = await create()
      const gateway = await openStore(target, { now: Date.now })
      expect(await refusalOf(run(sqlite(books), target))).toContain(' is in use')
      await gateway.close()
      await run(sqlite(books), target)
    })

    test('refuses a target that a newer version wrote', async () => {
      const target = await migrated(await create())
      await change(target, "insert into schema_migrations (id, applied_at) values ('9999-future', 0)")
      expect(await refusalOf(run(sqlite(books), target))).toContain('9999-future); update tollgate')
    })

    test('of books that do not add up ends only where that is accepted', async () => {
      const target = await create()
      const source = sqlite(copyOfBooks())
      await change(source, 'update workspaces set balance = balance + 1 where held > 0')
      expect(await refusalOf(run(source, target))).toContain(
        'the ledger does not add up, neither there nor in',
      )
      expect(await run(source, target, { unsound: true })).toMatchObject({ sound: false, continued: true })
      await migrated(target)
    })

    test('splits what is large, keeps 64 bits and the oddest texts, and replaces a NUL', async () => {
      const target = await create()
      const source = sqlite(copyOfBooks())
      const db = new Database(source.engine === 'sqlite' ? source.path : '')
      const keep = db.query(
        `insert into kept_responses (id, workspace_id, conversation_id, depth, created_at, bytes, items, input, response)
          values (?, 'ws', 'resp', 1, 1, 1, 1, ?, ?)`,
      )
      for (let i = 0; i < 5; i++) keep.run(`resp_${i}`, 'ä'.repeat(1_500_000), '"\\{},NULL\n\t😀')
      db.run(
        `insert into key_spend (key_id, month, spent, held) values ('key_max', '2026-11', 9223372036854775807, 0)`,
      )
      db.query("insert into credits (idempotency_key, transfer_id) values (?, 'tr_1')").run('a\0b')
      db.close()
      expect(await run(source, target)).toMatchObject({ sound: true })
      const inspector = openInspector(target)
      const texts = await inspector.rows("select * from kept_responses where workspace_id = 'ws' order by id")
      expect(texts.map(({ input, response }) => [String(input).length, response])).toEqual(
        Array.from({ length: 5 }, () => [1_500_000, '"\\{},NULL\n\t😀']),
      )
      expect(await inspector.rows("select spent from key_spend where key_id = 'key_max'")).toEqual([
        { spent: 9_223_372_036_854_775_807n },
      ])
      const [odd] = await inspector.rows("select idempotency_key from credits where transfer_id = 'tr_1'")
      expect(String(odd?.['idempotency_key']).replace('\0', '\uFFFD')).toBe('a\uFFFDb')
      await inspector.close()
    })
  })

  describe.skipIf(skipped)(`a move from ${name}`, () => {
    async function source(): Promise<StoreSettings> {
      const settings = await create()
      await run(sqlite(books), settings)
      return settings
    }

    test('refuses a source that is served', async () => {
      const from = await source()
      const gateway = await openStore(from, { now: Date.now })
      const target = newFile()
      expect(await refusalOf(run(from, sqlite(target)))).toContain(' is in use')
      await gateway.close()
      expect(await run(from, sqlite(target))).toMatchObject({ continued: false })
    })

    test('refuses a source with an older schema, and names the command', async () => {
      const from = await source()
      await change(from, `delete from schema_migrations where id = '${MIGRATIONS.at(-1)?.id}'`)
      const words = await refusalOf(run(from, sqlite(newFile())))
      expect(words).toContain('of an older version')
      expect(words).toContain('"tollgate migrate"')
    })

    test('refuses a source with a newer schema', async () => {
      const from = await source()
      await change(from, "insert into schema_migrations (id, applied_at) values ('9999-future', 0)")
      expect(await refusalOf(run(from, sqlite(newFile())))).toContain('9999-future); update tollgate')
    })

    test('refuses a source without tables of tollgate', async () => {
      const from = await create()
      if (from.engine === 'sqlite') writeFileSync(from.path, '')
      expect(await refusalOf(run(from, sqlite(newFile())))).toContain('it holds no tables of tollgate')
    })

    test('refuses half the books: a database that a move into it has not ended', async () => {
      const from = await create()
      await killed(sqlite(books), from, 'copying', 4)
      expect(await refusalOf(run(from, sqlite(newFile())))).toContain('has only a part of the books')
    })

    test('refuses the same database under another name, and takes no mark with it', async () => {
      const from = await migrated(await create())
      let other = from
      if (from.engine === 'sqlite') {
        other = sqlite(newFile())
        symlinkSync(from.path, placeOf(other).slice('sqlite:'.length))
      }
      const same = move({ settings: from, place: 'one' }, { settings: other, place: 'other' }, orderOf())
      expect(await refusalOf(same)).toContain('--from and --to name the same database')
      await migrated(from)
    })
  })
}

test('a move from a file that is not there creates nothing', async () => {
  const [from, to] = [newFile(), newFile()]
  expect(await refusalOf(run(sqlite(from), sqlite(to)))).toContain(`there is no database at ${from}`)
  expect([from, to].map(existsSync)).toEqual([false, false])
})

describe.skipIf(mustSkip('moves from Postgres'))('a move from Postgres', () => {
  test('from a database that does not exist says what the server says', async () => {
    const { url } = await sharedPostgres()
    const missing = new URL(url)
    missing.pathname = '/not_there'
    const words = await refusalOf(run({ engine: 'postgres', url: missing.href }, sqlite(newFile())))
    expect(words).toContain('database "not_there" does not exist')
  })

  test('to another Postgres has every row, too', async () => {
    const [from, to] = [await newPostgres(), await newPostgres()]
    await run(sqlite(books), from)
    await run(from, to)
    expect(await rowsIn(to, TABLES)).toEqual(await rowsIn(from, TABLES))
  })

  test('is not ended where the source was changed meanwhile, which takes no lock there', async () => {
    const from = await newPostgres()
    await run(sqlite(books), from)
    let isChanged = false
    const target = sqlite(newFile())
    const moving = run(from, target, {
      progress: (step, done) => {
        // The workspaces are copied first.
        if (isChanged || step !== 'copying' || done === 0) return
        isChanged = true
        changeMeanwhile(from, "UPDATE workspaces SET name = name || '!'")
      },
    })
    expect(await refusalOf(moving)).toContain('has changed since the move began (workspaces)')
    expect(String(await rejectionOf(openStore(target, { now: Date.now })))).toContain('has not ended')
  })

  test('names the sessions that it has seen', async () => {
    const from = await newPostgres()
    await run(sqlite(books), from)
    const sql = new SQL(from.engine === 'postgres' ? from.url : '', {
      max: 1,
      connection: { application_name: 'psql of Ada' },
    })
    await sql`SELECT 1`
    expect(await refusalOf(run(from, sqlite(newFile())))).toMatch(
      /is in use: its server has 1 other session there \("psql of Ada" of role \w+ from 127\.0\.0\.1/,
    )
    await sql.close({ timeout: 0 })
  })
})

/** Moves in a process of its own, which is killed when it has shown this step so often. */
async function killed(from: StoreSettings, to: StoreSettings, step: string, times: number): Promise<void> {
  const script = `
    import { move } from ${JSON.stringify(join(import.meta.dir, '../../src/store/move/move.ts'))}
    const [from, to] = ${JSON.stringify([from, to].map((settings) => ({ settings, place: placeOf(settings) })))}
    let shown = 0
    await move(from, to, {
      at: ${NOON}, unsound: false, record: {},
      progress: (step) => {
        if (step === ${JSON.stringify(step)} && ++shown === ${times}) process.kill(process.pid, 'SIGKILL')
      },
    })`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore', stderr: 'pipe' })
  const errors = await new Response(child.stderr).text()
  await child.exited
  expect([errors, child.signalCode]).toEqual(['', 'SIGKILL'])
}
