import { addsUp } from '../../core/ledger.ts'
import type { Moved, MoveOrder } from '../../core/ports/move.ts'
import { MIGRATIONS } from '../migrations/migrations.ts'
import { compareTables } from './compareTables.ts'
import { copyTables } from './copyTables.ts'
import { decodeMark, encodeMark, type Fingerprint, type Mark } from './mark.ts'
import { type MoveEnd, openSource, openTarget } from './openSides.ts'
import {
  doesNotAddUp,
  inUse,
  notEmpty,
  otherSource,
  otherVersion,
  sameDatabase,
  sourceChanged,
  unfinishedSource,
} from './refusals.ts'
import type { Source, Target } from './side.ts'
import { movedTables, type MovedTable } from './tables.ts'

/**
 * Copies all books into an empty database, proves that both hold the same, and only then lets the target be used. A run
 * that ends before is continued by the next one. Throws `MoveRefused`, and `StoreUnavailable` when a database goes away.
 */
export async function move(from: MoveEnd, to: MoveEnd, order: MoveOrder): Promise<Moved> {
  const source = await openSource(from, to)
  try {
    const target = await openTarget(to, order.at)
    try {
      return await moveBetween(source, target, order)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function moveBetween(source: Source, target: Target, order: MoveOrder): Promise<Moved> {
  const tables = movedTables()
  if ((await source.mark()) !== undefined) throw unfinishedSource(source.place)
  await refuseUsed(source)
  await refuseUsed(target)
  const before = await target.mark()
  const begun =
    before === undefined
      ? await begin(source, target, tables)
      : await goOn(decodeMark(before), source, target, tables)
  // A gateway that was started before the mark was there has a session by now.
  await refuseUsed(target)
  await copyTables(source, target, tables, begun, order.progress)
  await target.adjustCounters()
  const compared = await compareTables(source, target, tables, begun.fingerprint.rows, order.progress)
  const sound = await prove(source, target, order)
  await refuseUsed(source)
  await target.finish(order.record)
  return { ...compared, sound, continued: before !== undefined }
}

async function refuseUsed(side: Source): Promise<void> {
  const users = await side.otherUsers()
  if (users !== undefined) throw inUse(side.place, users)
}

async function begin(source: Source, target: Target, tables: readonly MovedTable[]): Promise<Mark> {
  for (const table of tables) {
    const [row] = await target.read(table, undefined)
    if (row) throw notEmpty(target.place, table.name, await target.lastMove())
  }
  const mark: Mark = {
    source: source.place,
    schema: newestMigration(),
    fingerprint: await fingerprintOf(source, tables),
    tables: {},
  }
  await target.begin(encodeMark(mark))
  // One database may have two names.
  if ((await source.mark()) !== undefined) {
    await target.forget()
    throw sameDatabase(target.place)
  }
  return mark
}

async function goOn(
  mark: Mark,
  source: Source,
  target: Target,
  tables: readonly MovedTable[],
): Promise<Mark> {
  if (mark.source !== source.place) throw otherSource(target.place, mark.source)
  if (mark.schema !== newestMigration()) throw otherVersion(target.place)
  const found = await fingerprintOf(source, tables)
  const changed = tables.find(({ name }) => found.rows[name] !== mark.fingerprint.rows[name])
  if (changed) throw sourceChanged(source.place, target.place, changed.name)
  if (found.lastTransfer !== mark.fingerprint.lastTransfer)
    throw sourceChanged(source.place, target.place, 'transfers')
  return mark
}

function newestMigration(): string {
  return MIGRATIONS.at(-1)?.id ?? ''
}

async function fingerprintOf(source: Source, tables: readonly MovedTable[]): Promise<Fingerprint> {
  const rows: Record<string, number> = {}
  for (const table of tables) rows[table.name] = await source.count(table)
  return { rows, lastTransfer: await source.lastTransfer() }
}

/** Adds up every ledger of the target; returns whether all of them do. */
async function prove(source: Source, target: Target, { unsound, progress }: MoveOrder): Promise<boolean> {
  const differing: string[] = []
  for await (const found of target.verify((transfers) => progress('adding up transfers', transfers, 0))) {
    if (!addsUp(found)) differing.push(found.workspaceId)
  }
  if (differing.length > 0 && !unsound) throw doesNotAddUp(differing, source.place)
  return differing.length === 0
}
