import type { Moved, MoveOrder } from '../../core/ports/move.ts'
import type { Nano } from '../../core/money.ts'
import { contentOf } from './content.ts'
import { sourceChanged } from './refusals.ts'
import type { Source, Target } from './side.ts'
import type { MovedTable } from './tables.ts'

/**
 * Reads every table of both databases, the source for the second time: so what was changed there meanwhile is noticed,
 * too. Throws `MoveRefused` at the first table that differs.
 */
export async function compareTables(
  source: Source,
  target: Target,
  tables: readonly MovedTable[],
  counts: Readonly<Record<string, number>>,
  progress: MoveOrder['progress'],
): Promise<Pick<Moved, 'rows' | 'sums'>> {
  const total = 2 * Object.values(counts).reduce((sum, count) => sum + count, 0)
  let compared = 0
  function onRows(count: number): void {
    compared += count
    progress('comparing', compared, total)
  }
  const rows: Record<string, number> = {}
  let sums: Record<string, Nano> = {}
  for (const table of tables) {
    const [there, here] = await Promise.all([
      contentOf(source, table, onRows),
      contentOf(target, table, onRows),
    ])
    // The digest holds every cell, so the sums of money are equal where it is.
    if (there.rows !== here.rows || there.digest !== here.digest) {
      throw sourceChanged(source.place, target.place, table.name)
    }
    rows[table.name] = here.rows
    sums = { ...sums, ...here.sums }
  }
  return { rows, sums }
}
