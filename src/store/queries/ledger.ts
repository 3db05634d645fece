import { sql, type Kysely, type Selectable } from 'kysely'
import { assert } from '../../core/assert.ts'
import type { WorkspaceId } from '../../core/id.ts'
import { EMPTY_TALLY, tally } from '../../core/ledger.ts'
import type { Books, Verification } from '../../core/ports/books.ts'
import { LEDGER_PLACES, ledgerPlaces, type LedgerPlaces } from '../ledgerPlaces.ts'
import { readNano, readPlace, readTransfer } from '../rows.ts'
import type { Schema, StoredInteger } from '../schema.ts'
import { steadyPace, type Pace, type Turns } from './turns.ts'

/** How many transfers are read at once when a whole ledger is read: memory stays flat. */
const TRANSFERS_PER_PART = 1_000
/** How many workspaces are listed at once when all ledgers are read. */
const WORKSPACES_PER_READ = 1_000

/** What reads whole ledgers, of any length, while calls go on; the same on every engine. */
export function createLedgerReader(
  db: Kysely<Schema>,
  turns: Turns | undefined,
): Pick<Books, 'exportLedger' | 'verify'> {
  const createPace = (): Pace => turns?.pace(TRANSFERS_PER_PART) ?? steadyPace(TRANSFERS_PER_PART)

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
      for (const row of rows) yield ledgerOf(row)
      if (rows.length < WORKSPACES_PER_READ) return
      last = rows.at(-1)?.id ?? last
    }
  }

  async function* named(workspace: WorkspaceId): AsyncGenerator<Ledger> {
    const row = await workspaceRow(db, workspace)
    if (row) yield ledgerOf(row)
  }

  async function readTransfers(
    { workspace, newest }: Ledger,
    last: StoredInteger,
    count: number,
  ): Promise<readonly TransferRow[]> {
    return db
      .selectFrom('transfers')
      .selectAll()
      .where('workspace_id', '=', workspace)
      .where('sequence', '>', last)
      .where('sequence', '<=', newest)
      .orderBy('sequence')
      .limit(count)
      .execute()
  }

  /** The transfers that there were when the ledger was looked up, part by part: calls may add others as quickly. */
  async function* transfersIn(ledger: Ledger, pace: Pace): AsyncGenerator<readonly TransferRow[]> {
    let last: StoredInteger = ledger.places.before
    for (;;) {
      const { rows, more } = await pace.part(async (count) => {
        const rows = await readTransfers(ledger, last, count)
        return { rows, more: rows.length === count }
      })
      last = rows.at(-1)?.sequence ?? last
      if (rows.length > 0) yield rows
      if (!more) return
    }
  }

  /** The next transfers after `last`, and in the same statement, so of the same instant, the stored figures. */
  async function readEnd({ workspace, places }: Ledger, last: StoredInteger): Promise<readonly EndRow[]> {
    const { rows } = await sql<EndRow>`
      select
        workspaces.balance as stored_balance,
        workspaces.held as stored_held,
        (select coalesce(sum(amount), 0) from holds where workspace_id = ${workspace}) as open_holds,
        next.*
      from workspaces left join (
        select * from transfers
        where workspace_id = ${workspace} and sequence > ${last} and sequence <= ${places.last}
        order by sequence limit ${TRANSFERS_PER_PART}
      ) as next on next.workspace_id = workspaces.id
      where workspaces.id = ${workspace}
      order by next.sequence`.execute(db)
    return rows
  }

  /** Workspaces that share their places with others, and one of the others for each. */
  async function clashes(): Promise<ReadonlyMap<string, WorkspaceId>> {
    const place = sql`last_transfer - last_transfer % ${sql.lit(LEDGER_PLACES)}`
    const { rows } = await sql<{ one: string; other: string }>`
      select workspaces.id as one, case workspaces.id when first then second else first end as other
      from workspaces join (
        select ${place} as place, min(id) as first, max(id) as second from workspaces group by 1 having count(*) > 1
      ) as shared on ${place} = shared.place`.execute(db)
    return new Map(rows.map(({ one, other }) => [one, other as WorkspaceId]))
  }

  async function verifyOne(
    ledger: Ledger,
    sharesPlacesWith: WorkspaceId | null,
    pace: Pace,
    progress: (transfersRead: number) => void,
  ): Promise<Verification> {
    let sum = EMPTY_TALLY
    let last: StoredInteger = ledger.places.before
    let lastRow: TransferRow | undefined
    function add(rows: readonly TransferRow[]): void {
      for (const row of rows) sum = tally(sum, readTransfer(row))
      lastRow = rows.at(-1) ?? lastRow
      last = lastRow?.sequence ?? last
    }

    for await (const rows of transfersIn(ledger, pace)) {
      add(rows)
      progress(sum.transfers)
    }
    // The stored figures change with every call: they are read with the transfers that have come meanwhile, and belong
    // to this sum when those are all there are.
    for (;;) {
      const rows = await pace.part(() => readEnd(ledger, last))
      const transfers = rows.filter(hasTransfer)
      add(transfers)
      const [figures] = rows
      progress(sum.transfers)
      assert(figures !== undefined, 'a workspace is never deleted')
      if (transfers.length === TRANSFERS_PER_PART) continue
      return {
        workspaceId: ledger.workspace,
        transfers: sum.transfers,
        balance: readNano(figures.stored_balance),
        ledgerBalance: sum.balance,
        held: readNano(figures.stored_held),
        openHolds: readNano(figures.open_holds),
        ledgerHeld: sum.held,
        brokenAt: sum.brokenAt,
        sharesPlacesWith,
        lastTransfer: lastRow ? readTransfer(lastRow) : null,
      }
    }
  }

  return {
    async *exportLedger(workspace) {
      const pace = createPace()
      for await (const ledger of workspace === undefined ? workspaces() : named(workspace)) {
        for await (const rows of transfersIn(ledger, pace)) yield rows.map(readTransfer)
      }
    },

    async *verify(progress) {
      const pace = createPace()
      let readBefore = 0
      const shared = await clashes()
      for await (const ledger of workspaces()) {
        const sharesWith = shared.get(ledger.workspace) ?? null
        const verification = await verifyOne(ledger, sharesWith, pace, (count) =>
          progress?.(readBefore + count),
        )
        readBefore += verification.transfers
        yield verification
      }
    },
  }
}

/** Where the transfers of a workspace are; undefined when there is no such workspace. */
export async function placesOf(db: Kysely<Schema>, id: WorkspaceId): Promise<LedgerPlaces | undefined> {
  const row = await workspaceRow(db, id)
  return row && ledgerOf(row).places
}

type WorkspaceRow = Pick<Selectable<Schema['workspaces']>, 'id' | 'last_transfer'>

function workspaceRow(db: Kysely<Schema>, id: WorkspaceId): Promise<WorkspaceRow | undefined> {
  return db.selectFrom('workspaces').select(['id', 'last_transfer']).where('id', '=', id).executeTakeFirst()
}

function ledgerOf(row: WorkspaceRow): Ledger {
  const newest = readPlace(row.last_transfer)
  return { workspace: row.id as WorkspaceId, places: ledgerPlaces(newest), newest }
}

interface Ledger {
  readonly workspace: WorkspaceId
  readonly places: LedgerPlaces
  /** The place of its last transfer when it was looked up. */
  readonly newest: bigint
}

interface Figures {
  readonly stored_balance: StoredInteger
  readonly stored_held: StoredInteger
  readonly open_holds: StoredInteger
}
type TransferRow = Selectable<Schema['transfers']>
/** A workspace without further transfers still has its figures, once, beside an empty transfer. */
type EndRow = Figures & (TransferRow | { readonly [Column in keyof TransferRow]: null })

function hasTransfer(row: EndRow): row is Figures & TransferRow {
  return row.sequence !== null
}
