import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { mustSkip, sharedPostgres } from '../../../test/support/postgres.ts'
import { copyOfEmptyDatabase } from '../../../test/support/emptyDatabase.ts'
import { openStore } from '../open.ts'
import { movedTables } from './tables.ts'

/**
 * What each database has for itself, and is not moved: its migrations, how far the processes on it are, and which changes
 * they have not noticed yet.
 */
const LEFT_TABLES = ['schema_migrations', 'lane_marks', 'changes']

const MOVED = movedTables()

interface ColumnRow {
  readonly table_name: string
  readonly column_name: string
  readonly data_type: string
}

/** By table, the columns and whether they are texts; but for the tables that are left. */
function shapeOf(rows: readonly ColumnRow[]): Record<string, Record<string, string>> {
  const shape: Record<string, Record<string, string>> = {}
  for (const { table_name: table, column_name: column, data_type: type } of rows) {
    if (LEFT_TABLES.includes(table)) continue
    shape[table] = { ...shape[table], [column]: type.toLowerCase() === 'text' ? 'text' : 'integer' }
  }
  return shape
}

const EXPECTED = Object.fromEntries(
  MOVED.map(({ name, columns }) => [name, Object.fromEntries(columns.map(({ name, type }) => [name, type]))]),
)

test('every table of a SQLite database is moved, or is known to stay, and every column of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-tables-'))
  const db = new Database(await copyOfEmptyDatabase(folder), { readonly: true })
  const rows = db
    .query<ColumnRow, []>(
      `select tables.name as table_name, columns.name as column_name, columns.type as data_type
        from sqlite_master as tables join pragma_table_info(tables.name) as columns
        where tables.type = 'table' and tables.name not like 'sqlite_%'`,
    )
    .all()
  db.close()
  rmSync(folder, { recursive: true })
  expect(shapeOf(rows)).toEqual(EXPECTED)
})

test('each has a primary key, by which it is read in parts', () => {
  expect(MOVED.filter(({ key }) => key.length === 0)).toEqual([])
  const keys = MOVED.map(({ name, columns, key }) => [name, key.map((i) => columns[i]?.name)])
  expect(Object.fromEntries(keys)).toMatchObject({
    transfers: ['sequence'],
    key_spend: ['key_id', 'month'],
    kept_items: ['workspace_id', 'item_id', 'made', 'kept_at', 'response_id'],
  })
})

describe.skipIf(mustSkip('the tables of a moved database'))('on Postgres', () => {
  test('every table is moved, or is known to stay, and every column of it', async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const store = await openStore({ engine: 'postgres', url }, { now: Date.now })
    await store.close()
    const sql = new SQL(url, { max: 1 })
    const rows = await sql<
      ColumnRow[]
    >`SELECT table_name, column_name, data_type FROM information_schema.columns
      WHERE table_schema = current_schema()`
    await sql.close()
    expect(shapeOf(rows)).toEqual(EXPECTED)
  })
})
