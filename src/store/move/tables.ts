import { Database } from 'bun:sqlite'
import { MIGRATIONS } from '../migrations/migrations.ts'
import type { Schema } from '../schema.ts'

/** What a cell holds: all columns are texts or 64-bit integers. */
export type Cell = bigint | string | null
/** One row, in the order of the columns of its table. */
export type Row = readonly Cell[]

/** A table as both engines have it. */
export interface MovedTable {
  readonly name: keyof Schema
  readonly columns: readonly { readonly name: string; readonly type: 'text' | 'integer' }[]
  /** Which of the columns are its primary key, in the order of the key. */
  readonly key: readonly number[]
  readonly rows: RowSize
}

/** `small`: a kilobyte or two. `large`: up to 16 MB. */
type RowSize = 'small' | 'large'

/** All that is moved, in the order in which it is copied: keys name their workspaces. */
const ROW_SIZES: Readonly<Record<keyof Schema, RowSize>> = {
  workspaces: 'large',
  keys: 'large',
  key_counters: 'small',
  key_spend: 'small',
  holds: 'small',
  credits: 'small',
  transfers: 'small',
  usage_records: 'small',
  answers: 'large',
  refused_calls: 'small',
  refusals_by_code: 'small',
  admin_tokens: 'small',
  admin_changes: 'large',
  audit_log: 'large',
  kept_sums: 'small',
  kept_conversations: 'small',
  kept_responses: 'large',
  kept_items: 'small',
}

/** The tables with their columns, as the migrations of this version make them. */
export function movedTables(): readonly MovedTable[] {
  const db = new Database(':memory:')
  try {
    for (const migration of MIGRATIONS)
      for (const statement of migration.statements('sqlite')) db.run(statement)
    return Object.entries(ROW_SIZES).map(([name, rows]) => {
      const columns = columnsOf(db, name)
      const key = columns
        .flatMap(({ pk }, index) => (pk > 0 ? [{ pk, index }] : []))
        .toSorted((a, b) => a.pk - b.pk)
        .map(({ index }) => index)
      return {
        name: name as keyof Schema,
        columns: columns.map(({ name, type }) => ({
          name,
          type: type.toLowerCase() === 'text' ? 'text' : 'integer',
        })),
        key,
        rows,
      }
    })
  } finally {
    db.close()
  }
}

interface ColumnInfo {
  readonly name: string
  readonly type: string
  /** Its place in the primary key, from 1; 0: none. */
  readonly pk: number
}

function columnsOf(db: Database, table: string): readonly ColumnInfo[] {
  return db.query<ColumnInfo, []>(`pragma table_info(${table})`).all()
}

/** The cells of the primary key. */
export function keyOf(table: MovedTable, row: Row): Row {
  return table.key.map((index) => row[index] ?? null)
}

/** How much memory the texts of a row take, in characters. */
export function sizeOf(row: Row): number {
  let size = 0
  for (const cell of row) if (typeof cell === 'string') size += cell.length
  return size
}
