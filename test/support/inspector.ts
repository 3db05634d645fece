import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import type { StoreSettings } from '../../src/store/open.ts'

export type Cell = bigint | number | string | null | undefined
export type Row = Readonly<Record<string, Cell>>

/** Reads the database itself, past every room of the gateway. */
export interface Inspector {
  rows(query: string): Promise<readonly Row[]>
  close(): Promise<void>
}

export function openInspector(settings: StoreSettings): Inspector {
  if (settings.engine === 'sqlite') {
    const db = new Database(settings.path, { readonly: true, safeIntegers: true })
    return {
      rows: (query) => Promise.resolve(db.query<Row, []>(query).all()),
      close: () => Promise.resolve(db.close()),
    }
  }
  const sql = new SQL(settings.url, { max: 1, bigint: true })
  return {
    rows: async (query) => Array.from(await sql.unsafe<Row[]>(query)),
    close: () => sql.close(),
  }
}

/** A stored integer, however the driver gives it. */
export function integer(value: Cell): bigint {
  return BigInt(value ?? Number.NaN)
}
