import { sql, type Kysely, type Selectable } from 'kysely'
import { assert } from '../../core/assert.ts'
import type { WorkspaceId } from '../../core/id.ts'
import { EMPTY_TALLY, tally } from '../../core/ledger.ts'
import type { Books, Transfer, Verification } from '../../core/ports/books.ts'
import { nextTurn } from './nextTurn.ts'
import { ledgerPlaces, type LedgerPlaces } from '../ledgerPlaces.ts'
import { readNano, readPlace, readTransfer } from '../rows.ts'
import type { Schema, StoredInteger } from '../schema.ts'

/** How many transfers are read at once when a whole ledger is read: memory stays flat. */
const TRANSFERS_PER_READ = 2_000
/** How many workspaces are listed at once when all ledgers are read. */
const WORKSPACES_PER_READ = 1_000

/** What reads whole ledgers, of any length, while calls go on; the same on every engine. */
export function createLedgerReader(db: Kysely<Schema>): Pick<Books, 'exportLedger' | 'verify'> {
  async function* workspaces(): AsyncGenerator<Ledger> {
    let last = ''
    for (;;) {
      const rows = await db
        .selectFrom('workspaces')
        .select(['id', 'last_transfer'])
        .where('id', '>', last)
        .orderBy('id')
        .limit(WORKSPACES_PER_READ)
        .execute()
      for (const row of rows) yield { workspace: row.id as WorkspaceId, places: placesOfRow(row) }
      if (rows.length < WORKSPACES_PER_READ) return
      last = rows.at(-1)?.id ?? last
    }
  }

  async function* transfersIn(places: LedgerPlaces): AsyncGenerator<readonly Transfer[]> {
    let last: StoredInteger = places.before
    for (;;) {
      const rows: Selectable<Schema['transfers']>[] = await db
        .selectFrom('transfers')
        .selectAll()
        .where('sequence', '>', last)
        .where('sequence', '<=', places.last)
        .orderBy('sequence')
        .limit(TRANSFERS_PER_READ)
        .execute()
      if (rows.length > 0) yield rows.map(readTransfer)
      if (rows.length < TRANSFERS_PER_READ) return
      last = rows.at(-1)?.sequence ?? last
      await nextTurn()
    }
  }

  /** The next transfers after `last`, and in the same statement, so of the same instant, the stored figures. */
  async function readBatch({ workspace, places }: Ledger, last: StoredInteger): Promise<readonly Batch[]> {
    const { rows } = await sql<Batch>`
      select
        workspaces.balance as stored_balance,
        workspaces.held as stored_held,
        (select coalesce(sum(amount), 0) from holds where workspace_id = ${workspace}) as open_holds,
        next.*
      from workspaces left join (
        select * from transfers
        where sequence > ${last} and sequence <= ${places.last}
        order by sequence limit ${TRANSFERS_PER_READ}
      ) as next on next.workspace_id = workspaces.id
      where workspaces.id = ${workspace}
      order by next.sequence`.execute(db)
    return rows
  }

  async function verifyOne(ledger: Ledger, progress: (transfersRead: number) => void): Promise<Verification> {
    let sum = EMPTY_TALLY
    let last: StoredInteger = ledger.places.before
    for (;;) {
      const batch = await readBatch(ledger, last)
      const [first] = batch
      assert(first !== undefined, 'a workspace is never deleted')
      const before = sum.transfers
      for (const row of batch) {
        if (!hasTransfer(row)) continue
        sum = tally(sum, readTransfer(row))
        last = row.sequence
      }
      progress(sum.transfers)
      // A batch that is not full reaches the end, so its figures belong to this sum.
      if (sum.transfers - before < TRANSFERS_PER_READ) {
        return {
          workspaceId: ledger.workspace,
          transfers: sum.transfers,
          balance: readNano(first.stored_balance),
          ledgerBalance: sum.balance,
          held: readNano(first.stored_held),
          openHolds: readNano(first.open_holds),
          ledgerHeld: sum.held,
          brokenAt: sum.brokenAt,
        }
      }
      await nextTurn()
    }
  }

  return {
    async *exportLedger(workspace) {
      if (workspace !== undefined) {
        const places = await placesOf(db, workspace)
        if (places) yield* transfersIn(places)
        return
      }
      for await (const { places } of workspaces()) yield* transfersIn(places)
    },

    async *verify(progress) {
      let readBefore = 0
      for await (const ledger of workspaces()) {
        const verification = await verifyOne(ledger, (count) => progress?.(readBefore + count))
        readBefore += verification.transfers
        yield verification
      }
    },
  }
}

/** Where the transfers of a workspace are; undefined when there is no such workspace. */
export async function placesOf(db: Kysely<Schema>, id: WorkspaceId): Promise<LedgerPlaces | undefined> {
  const row = await db
    .selectFrom('workspaces')
    .select('last_transfer')
    .where('id', '=', id)
    .executeTakeFirst()
  return row && placesOfRow(row)
}

function placesOfRow(row: Pick<Selectable<Schema['workspaces']>, 'last_transfer'>): LedgerPlaces {
  return ledgerPlaces(readPlace(row.last_transfer))
}

interface Ledger {
  readonly workspace: WorkspaceId
  readonly places: LedgerPlaces
}

interface Figures {
  readonly stored_balance: StoredInteger
  readonly stored_held: StoredInteger
  readonly open_holds: StoredInteger
}
type TransferRow = Selectable<Schema['transfers']>
/** A workspace without further transfers still has its figures, once, beside an empty transfer. */
type Batch = Figures & (TransferRow | { readonly [Column in keyof TransferRow]: null })

function hasTransfer(row: Batch): row is Figures & TransferRow {
  return row.sequence !== null
}
