import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import type { StoreSettings } from '../../src/store/open.ts'

export type Cell = bigint | number | string | null | undefined
export type Row = Readonly<Record<string, Cell>>

/** Reads the database itself, past every room of the gateway. */
export interface Inspector {
  rows(query: string): Promise<readonly Row[]>
  /** All that is read meanwhile is of one moment, whatever is committed. */
  atOneMoment(read: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

export function openInspector(settings: StoreSettings): Inspector {
  if (settings.engine === 'sqlite') {
    const db = new Database(settings.path, { readonly: true, safeIntegers: true })
    return {
      rows: (query) => Promise.resolve(db.query<Row, []>(query).all()),
      atOneMoment: (read) => within(read, 'begin', (word) => Promise.resolve(db.run(word))),
      close: () => Promise.resolve(db.close()),
    }
  }
  const sql = new SQL(settings.url, { max: 1, bigint: true })
  return {
    rows: async (query) => Array.from(await sql.unsafe<Row[]>(query)),
    atOneMoment: (read) =>
      within(read, 'begin transaction isolation level repeatable read, read only', (word) =>
        sql.unsafe(word),
      ),
    close: () => sql.close(),
  }
}

async function within(
  read: () => Promise<void>,
  begin: string,
  run: (word: string) => Promise<unknown>,
): Promise<void> {
  await run(begin)
  try {
    await read()
  } finally {
    await run('commit')
  }
}

/** A stored integer, however the driver gives it. */
export function integer(value: Cell): bigint {
  return BigInt(value ?? Number.NaN)
}
