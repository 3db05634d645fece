import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { Kysely } from 'kysely'
import { addsUp } from '../../../core/ledger.ts'
import { type Copy, SafekeepingRefused } from '../../../core/ports/safekeeping.ts'
import { createLedgerReader } from '../../queries/ledger.ts'
import { createTurns } from '../../queries/turns.ts'
import { readOptionalNumber } from '../../rows.ts'
import type { Schema, StoredInteger } from '../../schema.ts'
import { createDialect } from '../dialect.ts'
import { createStatements } from '../statements.ts'

/** Adds up every ledger of a finished copy, as `ledger verify` does, and says what is in it. */
export async function proveCopy(
  file: string,
  unsound: boolean,
  progress: (transfersRead: number) => void,
): Promise<Copy> {
  const db = new Database(file, { readonly: true, safeIntegers: true, strict: true })
  const statements = createStatements(db)
  try {
    const kysely = new Kysely<Schema>({
      dialect: createDialect(
        () => statements,
        () => undefined,
      ),
    })
    let [workspaces, transfers] = [0, 0]
    const differing: string[] = []
    for await (const found of createLedgerReader(kysely, createTurns()).verify(progress)) {
      workspaces++
      transfers += found.transfers
      if (!addsUp(found)) differing.push(found.workspaceId)
    }
    if (differing.length > 0 && !unsound) throw new SafekeepingRefused(doesNotAddUp(differing))
    const last = statements.passing<{ at: StoredInteger | null }>(LAST_TRANSFER).get()
    return {
      file,
      bytes: statSync(file).size,
      workspaces,
      transfers,
      lastTransferAt: readOptionalNumber(last?.at ?? null),
      sound: differing.length === 0,
    }
  } finally {
    statements.finalize()
    db.close()
  }
}

/** Each workspace names its last transfer, so not every transfer is read. */
const LAST_TRANSFER = `select max(transfers.created_at) as at
  from workspaces join transfers on transfers.sequence = workspaces.last_transfer`

function doesNotAddUp([first, ...others]: readonly string[]): string {
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `its ledger does not add up (${first}${more}); "tollgate ledger verify" names what differs, --unsound accepts it`
}
