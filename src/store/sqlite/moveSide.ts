import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { Kysely } from 'kysely'
import { MoveRefused } from '../../core/ports/move.ts'
import { SafekeepingRefused } from '../../core/ports/safekeeping.ts'
import { movedByOther } from '../move/refusals.ts'
import { PART, type Source, type Target } from '../move/side.ts'
import { keyOf, sizeOf, type MovedTable, type Row } from '../move/tables.ts'
import { lastMoveIn, recorded } from '../queries/audit.ts'
import { createLedgerReader } from '../queries/ledger.ts'
import type { Schema } from '../schema.ts'
import { MOVE_TABLE } from '../unfinishedMove.ts'
import { openConnection, unavailable } from './connection.ts'
import { createDialect } from './dialect.ts'
import { hasTable, migrate, refuseForeign, requireSchema } from './migrate.ts'
import { holdAlone } from './safekeeping/holdAlone.ts'
import { createStatements } from './statements.ts'

/** How long the log of a target may grow until a commit brings it into the file: each time waits for the disk. */
const CHECKPOINT_PAGES = 10_000

/** Holds the database at `path` alone, so that no gateway can open it meanwhile. */
export function openSqliteSource(path: string): Source {
  if (!existsSync(path) || !statSync(path).isFile()) throw new MoveRefused(`there is no database at ${path}`)
  const db = alone(path)
  try {
    refuseForeign(db)
    requireSchema(db)
    return sideOf(db, path)
  } catch (error) {
    db.close()
    throw error
  }
}

/** Creates the file where there is none, brings its schema up to date, and holds it alone. */
export function openSqliteTarget(path: string, at: number): Target {
  const opened = openConnection(path, 'default')
  try {
    migrate(opened, at)
  } finally {
    opened.close()
  }
  const db = alone(path)
  // The lock stays; with a log, a commit does not wait for the disk.
  db.run('rollback')
  db.run('pragma journal_mode = wal')
  db.run('pragma synchronous = normal')
  db.run(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  return targetOf(db, path)
}

function alone(path: string): Database {
  try {
    return holdAlone(path, 'Stop the gateway, and make the file readable and writable')
  } catch (error) {
    if (error instanceof SafekeepingRefused) throw new MoveRefused(error.message, { cause: error })
    throw error
  }
}

function sideOf(db: Database, path: string): Source {
  const statements = createStatements(db)

  function readSome(table: MovedTable, after: Row | undefined, limit: number): Row[] {
    const columns = table.columns.map(({ name }) => name).join(', ')
    const key = table.key.map((index) => table.columns[index]?.name).join(', ')
    const behind = after ? `where (${key}) > (${after.map(() => '?').join(', ')})` : ''
    return statements
      .passing(`select ${columns} from ${table.name} ${behind} order by ${key} limit ${limit}`)
      .values(...((after ?? []) as SQLQueryBindings[])) as Row[]
  }

  return {
    place: `sqlite:${realpathSync(path)}`,
    async read(table, after) {
      if (table.rows === 'small') return readSome(table, after, PART.rows)
      const rows: Row[] = []
      let size = 0
      let last = after
      while (rows.length < PART.rows && size < PART.characters) {
        const [row] = readSome(table, last, 1)
        if (!row) break
        rows.push(row)
        size += sizeOf(row)
        last = keyOf(table, row)
      }
      return rows
    },
    count: async (table) =>
      Number(statements.passing<{ rows: bigint }>(`select count(*) as rows from ${table.name}`).get()?.rows),
    lastTransfer: async () =>
      statements.passing<{ last: bigint | null }>('select max(sequence) as last from transfers').get()
        ?.last ?? 0n,
    // The lock has kept them out since the database was opened.
    otherUsers: async () => undefined,
    mark: async () =>
      hasTable(db, MOVE_TABLE)
        ? statements.passing<{ mark: string }>(`select mark from ${MOVE_TABLE}`).get()?.mark
        : undefined,
    async close() {
      statements.finalize()
      db.close()
    },
  }
}

function targetOf(db: Database, path: string): Target {
  const side = sideOf(db, path)
  const statements = createStatements(db)
  const dialect = createDialect(
    () => statements,
    () => undefined,
  )
  const kysely = new Kysely<Schema>({ dialect })

  return {
    ...side,
    lastMove: () => lastMoveIn(kysely),
    async begin(mark) {
      inTransaction(db, () => {
        db.run(`create table ${MOVE_TABLE} (mark text not null)`)
        db.run(`insert into ${MOVE_TABLE} (mark) values (?)`, [mark])
      })
    },
    async forget() {
      db.run(`drop table ${MOVE_TABLE}`)
    },
    async write(table, rows, before, after) {
      const columns = table.columns.map(({ name }) => name).join(', ')
      const places = table.columns.map(() => '?').join(', ')
      inTransaction(db, () => {
        const { changes } = db.run(`update ${MOVE_TABLE} set mark = ? where mark = ?`, [after, before])
        if (changes !== 1) throw movedByOther(side.place)
        withoutTriggers(db, table.name, () => {
          const insert = statements.passing(`insert into ${table.name} (${columns}) values (${places})`)
          for (const row of rows) insert.run(...row)
        })
      })
    },
    // Its trigger counts by what the table holds.
    adjustCounters: () => Promise.resolve(),
    verify: (progress) => createLedgerReader(kysely, undefined).verify(progress),
    async finish(record) {
      inTransaction(db, () => {
        for (const { sql, parameters } of recorded(kysely, record)) {
          db.run(sql, parameters as SQLQueryBindings[])
        }
        db.run(`drop table ${MOVE_TABLE}`)
      })
    },
    async close() {
      statements.finalize()
      await side.close()
    },
  }
}

/** Throws `StoreUnavailable` where the disk is full or gone. */
function inTransaction(db: Database, work: () => void): void {
  try {
    db.transaction(work)()
  } catch (error) {
    throw unavailable(error)
  }
}

/** What the triggers of a table would do has been done where the rows come from. */
function withoutTriggers(db: Database, table: string, work: () => void): void {
  const triggers = db
    .query<{ name: string; sql: string }, [string]>(
      "select name, sql from sqlite_master where type = 'trigger' and tbl_name = ?",
    )
    .all(table)
  for (const { name } of triggers) db.run(`drop trigger ${name}`)
  work()
  for (const { sql } of triggers) db.run(sql)
}
