import { sql, type Kysely } from 'kysely'
import { LEDGER_PLACES } from '../ledgerPlaces.ts'
import type { Schema } from '../schema.ts'

const PLACES = sql.lit(LEDGER_PLACES)

/**
 * Brings the sequence of ledgers to where the workspaces are: whoever copies rows alone, as logical replication does,
 * leaves it behind, and a new workspace then gets the places of another one's transfers. Such a workspace, which nobody
 * could credit, gets places of its own. Gives how many ledgers the sequence was behind; it is never set back.
 */
export async function mendLedgerSequence(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ raised: bigint }>`
    select count(nextval('ledgers')) as raised
    from (select coalesce((max(last_transfer) - max(last_transfer) % ${PLACES}) / ${PLACES}, 0) as last from workspaces) as used,
      (select coalesce(pg_sequence_last_value('ledgers'::regclass), 0) as last) as given,
      generate_series(1, used.last - given.last)`.execute(db)
  await sql`update workspaces set last_transfer = nextval('ledgers') * ${PLACES}
    where last_transfer % ${PLACES} = 0 and exists (
      select 1 from workspaces as other where other.id <> workspaces.id
        and other.last_transfer - other.last_transfer % ${PLACES} = workspaces.last_transfer
        and (other.last_transfer <> workspaces.last_transfer or other.id < workspaces.id)
    )`.execute(db)
  return Number(rows[0]?.raised ?? 0)
}
