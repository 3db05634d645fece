import type { Row } from './tables.ts'

/** How far a move is. It is in the target, and changes in the transaction of the rows that it counts. */
export interface Mark {
  /** The place of the source. */
  readonly source: string
  /** The newest migration: another version copies other columns. */
  readonly schema: string
  readonly fingerprint: Fingerprint
  /** By table; absent: nothing of it is copied. */
  readonly tables: Readonly<Record<string, TableMark>>
}

export interface TableMark {
  readonly rows: number
  /** The primary key of the last row that is copied. */
  readonly last: Row
  readonly isWhole: boolean
}

/** What shows cheaply that a source was changed since the move began. */
export interface Fingerprint {
  readonly rows: Readonly<Record<string, number>>
  readonly lastTransfer: bigint
}

/** Integers of 64 bits are written as `{"integer":"…"}`. */
export function encodeMark(mark: Mark): string {
  return JSON.stringify(mark, (_, value: unknown) =>
    typeof value === 'bigint' ? { integer: String(value) } : value,
  )
}

export function decodeMark(text: string): Mark {
  return JSON.parse(text, (_, value: unknown) => (isInteger(value) ? BigInt(value.integer) : value)) as Mark
}

function isInteger(value: unknown): value is { integer: string } {
  return (
    typeof value === 'object' && value !== null && 'integer' in value && typeof value.integer === 'string'
  )
}
