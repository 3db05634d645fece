import { assert } from '../../core/assert.ts'
import { admit, extend, monthOf } from '../../core/admission.ts'
import type { KeyId, RequestId, WorkspaceId } from '../../core/id.ts'
import { utcMonth } from '../../core/limit.ts'
import type {
  Admission,
  AdmissionVerdict,
  Extension,
  ExtensionVerdict,
  Settlement,
  SettlementResult,
  Till,
} from '../../core/ports/till.ts'
import { release, settle } from '../../core/settlement.ts'
import { readNano, type Settled } from '../rows.ts'
import { keepAnswers } from './answers.ts'
import { texts } from './arrays.ts'
import { groupCalls, type Grouped } from './group.ts'
import type { Rows, Statement } from './session.ts'
import { openTillBook, type Place } from './tillBook.ts'
import { loadTouched, readLoaded, rowsOf, writeChanged } from './tillRows.ts'
import type { Lane, Transaction } from './transaction.ts'

/** How many holds one transaction of the sweeper releases. */
const SWEEP_BATCH = 500

/** A till, and how to wait until nothing of it is under way. */
export interface PostgresTill extends Till {
  idle(): Promise<void>
}

/**
 * @param openLane each step has one of its own: one group of it is under way at a time
 * @param groupSizeMax how many calls of a step share a transaction
 */
export function createTill(openLane: (step: string) => Lane, groupSizeMax: number): PostgresTill {
  function step<Request, Answer>(
    name: string,
    transaction: (requests: readonly Request[]) => Transaction<readonly Answer[]>,
  ): Grouped<Request, Answer> {
    const lane = openLane(name)
    return groupCalls((requests) => lane.run(transaction(requests)), { sizeMax: groupSizeMax })
  }

  const admissions = step('admit', admitAll)
  const extensions = step('extend', extendAll)
  const settlements = step('settle', settleAll)
  const leases = openLane('lease')

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
    async idle() {
      await Promise.all([admissions.idle(), extensions.idle(), settlements.idle()])
    },
  }
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
      {
        text: 'SELECT id, charge, writeoff FROM usage_records WHERE id = ANY($1::text[])',
        values: [texts(ids)],
      },
    ],
    decide(loaded) {
      const book = openTillBook(readLoaded(loaded))
      const settled = readSettled(loaded.at(-1))
      const fresh: Settlement[] = []
      const result = settlements.map((settlement) => {
        const { id, at, workspaceId, keyId, cost, keyMonthlySpend, record } = settlement
        const hold = book.hold(id)
        const place: Place = { workspaceId, keyId, month: hold?.month ?? utcMonth(record.startedAt) }
        const before = book.state(place)
        const earlier = settled.get(id)
        if (earlier) return { ...earlier, balance: before.workspace.balance }
        const { result, released, state, lines } = settle(before, hold, cost, keyMonthlySpend)
        book.put(place, state)
        book.post(place, lines, { requestId: id, at, note: null })
        if (hold) book.removeHold(id)
        book.record(record, { hold: released, charge: result.charge, writeoff: result.writeoff })
        settled.set(id, result)
        fresh.push(settlement)
        return result
      })
      return { writes: [...writeChanged(book.changed), ...keepAnswers(fresh)], result }
    },
  }
}

/** What was settled before is not settled again. */
function readSettled(rows: Rows | undefined): Map<RequestId, Pick<Settled, 'charge' | 'writeoff'>> {
  return new Map(
    rowsOf<'usage_records'>(rows).map(({ id, charge, writeoff }) => [
      id as RequestId,
      { charge: readNano(charge), writeoff: readNano(writeoff) },
    ]),
  )
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
