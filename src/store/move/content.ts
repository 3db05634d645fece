import { addNano, nano, ZERO, type Nano } from '../../core/money.ts'
import type { Source } from './side.ts'
import { keyOf, type MovedTable, type Row } from './tables.ts'

/** What a table holds, for a comparison. */
export interface Content {
  readonly rows: number
  /** Of every cell of every row; of the rows in any order, because engines sort texts differently. */
  readonly digest: string
  readonly sums: Readonly<Record<string, Nano>>
}

/** Which columns are money that is added up: under a name, or under what another column says. */
const MONEY: Readonly<Record<string, readonly { readonly amount: string; readonly as: string }[]>> = {
  workspaces: [
    { amount: 'balance', as: 'balances' },
    { amount: 'held', as: 'held' },
  ],
  holds: [{ amount: 'amount', as: 'holds' }],
  usage_records: [{ amount: 'charge', as: 'charges' }],
}

/** Reads the whole table. */
export async function contentOf(
  side: Pick<Source, 'read'>,
  table: MovedTable,
  onRows: (count: number) => void,
): Promise<Content> {
  const digest = createDigest()
  const sums = createSums(table)
  let rows = 0
  let after: Row | undefined
  for (;;) {
    const part = await side.read(table, after)
    const last = part.at(-1)
    if (last === undefined) return { rows, digest: digest.text(), sums: sums.all }
    for (const row of part) {
      digest.add(row)
      sums.add(row)
    }
    rows += part.length
    after = keyOf(table, last)
    onRows(part.length)
  }
}

const DIGEST_BYTES = 32
const LANE_BYTES = 4

/**
 * The sum of the SHA-256 of each row, in eight lanes of 32 bits. A primary key is there once, so two tables with the same
 * rows have the same sum, in whichever order they are read.
 */
function createDigest() {
  const hash = new Uint8Array(DIGEST_BYTES)
  const lanes = new Uint32Array(hash.buffer)
  const sum = new Uint32Array(DIGEST_BYTES / LANE_BYTES)
  return {
    add(row: Row): void {
      Bun.SHA256.hash(textOf(row), hash)
      for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + (lanes[i] ?? 0)
    },
    text: () => Buffer.from(sum.buffer).toString('hex'),
  }
}

/** Each cell with its kind and length, so that no two rows have the same text. */
function textOf(row: Row): string {
  let text = ''
  for (const cell of row) {
    if (cell === null) text += 'n'
    else if (typeof cell === 'bigint') text += `i${cell};`
    else text += `t${cell.length};${asStored(cell)}`
  }
  return text
}

/** Postgres cannot hold a NUL, and gets a replacement character instead. */
function asStored(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text
}

function createSums(table: MovedTable) {
  const all: Record<string, Nano> = {}
  const place = (name: string): number => table.columns.findIndex((column) => column.name === name)
  function add(as: string, cell: Row[number]): void {
    all[as] = addNano(all[as] ?? ZERO, nano(BigInt(cell ?? 0n)))
  }
  const columns = (MONEY[table.name] ?? []).map(({ amount, as }) => ({ index: place(amount), as }))
  for (const { as } of columns) all[as] = ZERO
  const [kind, amount] = table.name === 'transfers' ? [place('kind'), place('amount')] : []
  return {
    all,
    add(row: Row): void {
      for (const { index, as } of columns) add(as, row[index] ?? null)
      if (kind !== undefined && amount !== undefined) add(String(row[kind]), row[amount] ?? null)
    },
  }
}
