import type { MoveOrder } from '../../core/ports/move.ts'
import { encodeMark, type Mark } from './mark.ts'
import type { Source, Target } from './side.ts'
import { keyOf, type MovedTable } from './tables.ts'

/** Copies what the mark does not count yet, part by part: each is there for good, or not at all. */
export async function copyTables(
  source: Source,
  target: Target,
  tables: readonly MovedTable[],
  begun: Mark,
  progress: MoveOrder['progress'],
): Promise<void> {
  const total = sumOf(Object.values(begun.fingerprint.rows))
  let copied = sumOf(Object.values(begun.tables).map(({ rows }) => rows))
  let mark = begun
  progress('copying', copied, total)
  for (const table of tables) {
    for (;;) {
      const { rows: count, last, isWhole } = mark.tables[table.name] ?? { rows: 0, isWhole: false }
      if (isWhole) break
      const rows = await source.read(table, last)
      const lastRow = rows.at(-1)
      const next = {
        rows: count + rows.length,
        last: lastRow ? keyOf(table, lastRow) : (last ?? []),
        isWhole: lastRow === undefined,
      }
      const after: Mark = { ...mark, tables: { ...mark.tables, [table.name]: next } }
      await target.write(table, rows, encodeMark(mark), encodeMark(after))
      mark = after
      copied += rows.length
      progress('copying', copied, total)
    }
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
