import { assert } from '../../core/assert.ts'
import { admit, extend, monthOf } from '../../core/admission.ts'
import type { KeyId, RequestId, WorkspaceId } from '../../core/id.ts'
import { utcMonth } from '../../core/limit.ts'
import { ZERO } from '../../core/money.ts'
import type {
  Admission,
  AdmissionVerdict,
  Extension,
  ExtensionVerdict,
  Settlement,
  SettlementResult,
  Till,
} from '../../core/ports/till.ts'
import { refund, release, settle } from '../../core/settlement.ts'
import type { NewlySettled } from '../rows.ts'
import { forgetAnswers, keepAnswers } from './answers.ts'
import { texts } from './arrays.ts'
import { groupStep, type StepOptions } from './group.ts'
import type { Statement } from './pool.ts'
import { openTillBook, type Place, type TillBook } from './tillBook.ts'
import { loadSettled, loadTouched, readLoaded, writeChanged } from './tillRows.ts'
import type { Lane, Transaction } from './transaction.ts'

/** How many holds one transaction of the sweeper releases. */
const SWEEP_BATCH = 500

/** A till, how to prove that it can commit, and how to wait until nothing of it is under way. */
export interface PostgresTill extends Till {
  /** Commits where calls are admitted and settled, behind what is under way there, and looks for a key. */
  prove(): Promise<void>
  /** Names the life of the server, and the database, that calls are settled in now: for `createRecentSettlements`. */
  server(): Promise<string>
  idle(): Promise<void>
}

/**
 * @param openLane each step has one of its own: one group of it is under way at a time; `own`: on its own connection
 */
export function createTill(
  openLane: (step: string, wants?: 'own') => Lane,
  groups: StepOptions,
): PostgresTill {
  const lanes = {
    admit: openLane('admit', 'own'),
    extend: openLane('extend', 'own'),
    settle: openLane('settle', 'own'),
    lease: openLane('lease'),
    look: openLane('look'),
  }
  const { lease: leases } = lanes
  const admissions = groupStep('admit', lanes.admit, admitAll, groups)
  const extensions = groupStep('extend', lanes.extend, extendAll, groups)
  const settlements = groupStep('settle', lanes.settle, settleAll, groups)

  return {
    admit: (admission) => admissions.call(admission),
    extend: (extension) => extensions.call(extension),
    settle: (settlement) => settlements.call(settlement),
    async renew(ids, expiresAt) {
      if (ids.length > 0) await leases.run(renewAll(ids, expiresAt))
    },
    async sweep(at) {
      let released = 0
      for (;;) {
        const batch = await leases.run(findExpired(at))
        if (batch.length > 0) released += await leases.run(releaseAll(batch, at))
        if (batch.length < SWEEP_BATCH) return released
      }
    },
    async prove() {
      const { admit, extend, settle, look } = lanes
      await Promise.all([look.run(LOOK), ...[admit, extend, settle].map((lane) => lane.run(PROOF))])
    },
    server: () => lanes.settle.run(WHICH_SERVER),
    async idle() {
      await Promise.all([admissions.idle(), extensions.idle(), settlements.idle()])
    },
  }
}

/**
 * Changes nothing but the mark that each transaction leaves; needs every lock and every right on tables that a call needs.
 */
const PROOF: Transaction<void> = {
  load: [{ text: 'SELECT id FROM workspaces WHERE false FOR UPDATE' }],
  decide: () => ({
    writes: [
      'UPDATE workspaces SET id = id WHERE false',
      ...['key_counters', 'key_spend', 'holds', 'transfers', 'usage_records', 'answers'].map(
        (table) => `INSERT INTO ${table} SELECT * FROM ${table} WHERE false`,
      ),
      'DELETE FROM holds WHERE false',
      'DELETE FROM answers WHERE false',
    ].map((text) => ({ text })),
    result: undefined,
  }),
}

/** Calls begin with a look for their key, on a connection that they share with all else. */
const LOOK: Transaction<void> = {
  load: [
    {
      text: `SELECT keys.id FROM keys JOIN workspaces ON workspaces.id = keys.workspace_id WHERE secret_hash = ''`,
    },
  ],
  decide: () => ({ writes: [], result: undefined }),
}

/**
 * A standby that takes over has started at another moment, and so has a server that lost its last writes; what was restored
 * into the database lies in another file.
 */
const WHICH_SERVER: Transaction<string> = {
  load: [
    {
      text: `SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), oid,
          pg_relation_filenode(to_regclass('usage_records'))) AS server
        FROM pg_database WHERE datname = current_database()`,
    },
  ],
  decide: ([rows]) => ({ writes: [], result: String(rows?.[0]?.['server']) }),
}

function admitAll(admissions: readonly Admission[]): Transaction<readonly AdmissionVerdict[]> {
  return {
    load: loadTouched({
      workspaceIds: admissions.map(({ workspaceId }) => workspaceId),
      keyIds: admissions.map(({ keyId }) => keyId),
      months: admissions.map(monthOf),
    }),
    decide(loaded) {
      const book = openTillBook(readLoaded(loaded))
      const result = admissions.map((admission) => {
        const { id, at, workspaceId, keyId } = admission
        assert(book.hold(id) === undefined, 'a call is admitted once')
        const place = { workspaceId, keyId, month: monthOf(admission) }
        const { verdict, state, hold, lines } = admit(book.state(place), admission)
        book.put(place, state)
        book.post(place, lines, { requestId: id, at, note: null })
        if (hold) book.putHold(hold)
        return verdict
      })
      return { writes: writeChanged(book.changed), result }
    },
  }
}

function extendAll(extensions: readonly Extension[]): Transaction<readonly ExtensionVerdict[]> {
  return {
    load: loadTouched({
      workspaceIds: extensions.map(({ workspaceId }) => workspaceId),
      keyIds: extensions.map(({ keyId }) => keyId),
      months: [],
      holdIds: extensions.map(({ id }) => id),
    }),
    decide(loaded) {
      const book = openTillBook(readLoaded(loaded))
      const result = extensions.map((extension) => {
        const { id, at, workspaceId, keyId } = extension
        const before = book.hold(id)
        const place = { workspaceId, keyId, month: before?.month ?? utcMonth(at) }
        const { verdict, state, hold, lines } = extend(book.state(place), before, extension)
        book.put(place, state)
        book.post(place, lines, { requestId: id, at, note: null })
        if (hold) book.putHold(hold)
        return verdict
      })
      return { writes: writeChanged(book.changed), result }
    },
  }
}

function settleAll(settlements: readonly Settlement[]): Transaction<readonly SettlementResult[]> {
  const ids = settlements.map(({ id }) => id)
  return {
    load: [
      ...loadTouched({
        workspaceIds: settlements.map(({ workspaceId }) => workspaceId),
        keyIds: settlements.map(({ keyId }) => keyId),
        months: settlements.map(({ record }) => utcMonth(record.startedAt)),
        holdIds: ids,
      }),
      loadSettled(ids),
    ],
    decide(loaded) {
      const book = openTillBook(readLoaded(loaded))
      /** Whose answers are kept, and whose are not kept any longer. */
      const keeping = new Map<RequestId, Settlement>()
      const takenBack = new Set<RequestId>()
      const result = settlements.map((settlement) => {
        const { id, at, workspaceId, keyId, cost, keyMonthlySpend, record } = settlement
        const hold = book.hold(id)
        const place: Place = { workspaceId, keyId, month: hold?.month ?? utcMonth(record.startedAt) }
        const before = book.state(place)
        const earlier = book.settled(id)
        if (earlier && settlement.refunds) {
          keeping.delete(id)
          takenBack.add(id)
          return takeBack(book, settlement, place, earlier)
        }
        if (earlier) {
          const { charge, writeoff } = earlier
          return { charge, writeoff, balance: before.workspace.balance, repeated: true }
        }
        const { result, released, state, lines } = settle(before, hold, cost, keyMonthlySpend)
        book.put(place, state)
        book.post(place, lines, { requestId: id, at, note: null })
        if (hold) book.removeHold(id)
        book.record(record, { hold: released, charge: result.charge, writeoff: result.writeoff })
        keeping.set(id, settlement)
        return result
      })
      const answers = [...keepAnswers([...keeping.values()]), ...forgetAnswers([...takenBack])]
      return { writes: [...writeChanged(book.changed), ...answers], result }
    },
  }
}

/** Takes back a settlement that was committed before, though its answer was not sent. */
function takeBack(
  book: TillBook,
  { id, at, record }: Settlement,
  place: Place,
  { hold, charge }: NewlySettled,
): SettlementResult {
  const { state, lines } = refund(book.state(place), charge)
  book.put(place, state)
  book.post(place, lines, { requestId: id, at, note: null })
  book.record(record, { hold, charge: ZERO, writeoff: ZERO })
  const { balance } = state.workspace
  return { charge: ZERO, writeoff: ZERO, balance, ...(charge > 0n ? { refund: charge } : { repeated: true }) }
}

/** Locks the workspaces of some holds: whoever changes holds does that first. */
function lockWorkspacesOf(holdIds: readonly RequestId[]): Statement {
  return {
    text: `SELECT id FROM workspaces
      WHERE id IN (SELECT workspace_id FROM holds WHERE id = ANY($1::text[])) ORDER BY id FOR UPDATE`,
    values: [texts(holdIds)],
  }
}

function renewAll(ids: readonly RequestId[], expiresAt: number): Transaction<void> {
  const values = [texts(ids), BigInt(expiresAt)]
  return {
    load: [lockWorkspacesOf(ids)],
    decide: () => ({
      writes: [
        {
          text: 'UPDATE holds SET expires_at = $2::bigint WHERE id = ANY($1::text[]) AND expires_at < $2::bigint',
          values,
        },
        {
          text: `UPDATE answers SET expires_at = $2::bigint
            WHERE request_id = ANY($1::text[]) AND body IS NULL AND expires_at < $2::bigint`,
          values,
        },
      ],
      result: undefined,
    }),
  }
}

interface Expired {
  readonly id: RequestId
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
}

function findExpired(at: number): Transaction<readonly Expired[]> {
  return {
    load: [
      {
        text: `SELECT id, workspace_id, key_id FROM holds WHERE expires_at <= $1::bigint
          ORDER BY expires_at LIMIT ${SWEEP_BATCH}`,
        values: [BigInt(at)],
      },
    ],
    decide: ([rows]) => ({
      writes: [],
      result: (rows ?? []).map((row) => ({
        id: row['id'] as RequestId,
        workspaceId: row['workspace_id'] as WorkspaceId,
        keyId: row['key_id'] as KeyId,
      })),
    }),
  }
}

/** Looks again under the lock: a lease may have been renewed, a call settled in between. */
function releaseAll(expired: readonly Expired[], at: number): Transaction<number> {
  return {
    load: loadTouched({
      workspaceIds: expired.map(({ workspaceId }) => workspaceId),
      keyIds: expired.map(({ keyId }) => keyId),
      months: [],
      holdIds: expired.map(({ id }) => id),
    }),
    decide(loaded) {
      const book = openTillBook(readLoaded(loaded))
      let released = 0
      for (const { id } of expired) {
        const hold = book.hold(id)
        if (!hold || hold.expiresAt > at) continue
        const { state, lines } = release(book.state(hold), hold)
        book.put(hold, state)
        book.post(hold, lines, { requestId: id, at, note: 'lease ran out' })
        book.removeHold(id)
        released++
      }
      return { writes: writeChanged(book.changed), result: released }
    },
  }
}
