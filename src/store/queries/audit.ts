import { sql, type CompiledQuery, type Kysely, type RawBuilder, type SqlBool } from 'kysely'
import type { AuditId } from '../../core/id.ts'
import {
  type AuditEntry,
  type AuditLog,
  type AuditQuery,
  KEEP_REFUSED_TOKENS_MS,
} from '../../core/ports/audit.ts'
import type { Once } from '../../core/ports/once.ts'
import { auditRow, readAuditEntry, readNumber } from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { Atomically } from './atomically.ts'
import { createChangesOnce, type Made, made } from './changesOnce.ts'
import { pageOf, requireCursor, rowsToRead } from './page.ts'
import { steadyPace, type Turns } from './turns.ts'

/** How many entries a part of forgetting deletes, at most. */
const FORGOTTEN_PER_PART = 200

/** What a change writes of itself: no statement where nothing has changed. */
export function recorded(db: Kysely<Schema>, entry: AuditEntry | undefined): CompiledQuery[] {
  return entry ? [db.insertInto('audit_log').values(auditRow(entry)).compile()] : []
}

/** When the newest move into a database was, in milliseconds since the epoch; undefined: there was none. */
export async function lastMoveIn(db: Kysely<Schema>): Promise<number | undefined> {
  const row = await db
    .selectFrom('audit_log')
    .select('at')
    .where('action', '=', 'database.move')
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && readNumber(row.at)
}

/**
 * The audit log, the same on every engine.
 * @param turns for an engine that blocks the event loop while it deletes
 */
export function createAuditLog(db: Kysely<Schema>, atomically: Atomically, turns?: Turns): AuditLog {
  const once = createChangesOnce(db, atomically)
  const byId = (id: AuditId): CompiledQuery =>
    db.selectFrom('audit_log').selectAll().where('id', '=', id).compile()

  async function entry(id: AuditId): Promise<AuditEntry | undefined> {
    const row = await db.selectFrom('audit_log').selectAll().where('id', '=', id).executeTakeFirst()
    return row && readAuditEntry(row)
  }

  async function forgetSome(before: number, rows: number): Promise<number> {
    const { numDeletedRows } = await db
      .deleteFrom('audit_log')
      .where('id', 'in', (oldest) =>
        oldest
          .selectFrom('audit_log')
          .select('id')
          .where('action', '=', 'token.refuse')
          .where('at', '<', before)
          .orderBy('at')
          .limit(rows)
          .$if(atomically.locks, (query) => query.forUpdate().skipLocked()),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  }

  return {
    entry,

    async entries(query) {
      await requireCursor(query, async (id) => (await entry(id as AuditId)) !== undefined)
      const rows = await db
        .selectFrom('audit_log')
        .selectAll()
        .where((where) => where.and(conditionsOf(query)))
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsToRead(query))
        .execute()
      return pageOf(rows.map(readAuditEntry), query)
    },

    record<Result>(change: AuditEntry | undefined, result: Result, changedOnce?: Once<Result>) {
      return once<Result, never>(changedOnce, {
        load: change ? [byId(change.id)] : [],
        decide([same = []]): { writes: readonly CompiledQuery[]; result: Made<Result> } {
          // The step was lost in its commit, and is repeated: its entry is there.
          return { writes: same.length > 0 ? [] : recorded(db, change), result: made(result) }
        },
      })
    },

    async keepRefusedTokens(entries) {
      if (entries.length === 0) return
      await db
        .insertInto('audit_log')
        .values(entries.map(auditRow))
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((given) => ({
            last_at: given.ref('excluded.last_at'),
            address: given.ref('excluded.address'),
            count: given.ref('excluded.count'),
          })),
        )
        .execute()
    },

    async forget(at) {
      const pace = turns?.pace(FORGOTTEN_PER_PART) ?? steadyPace(FORGOTTEN_PER_PART)
      let forgotten = 0
      for (;;) {
        const { deleted, more } = await pace.part(async (rows) => {
          const deleted = await forgetSome(at - KEEP_REFUSED_TOKENS_MS, rows)
          return { deleted, more: deleted === rows }
        })
        forgotten += deleted
        if (!more) return forgotten
      }
    },
  }
}

function conditionsOf(query: AuditQuery): RawBuilder<SqlBool>[] {
  const { cursor, from, to, action, actor, actorKind, workspaceId, subject } = query
  const conditions: RawBuilder<SqlBool>[] = []
  if (cursor !== undefined)
    conditions.push(sql`(at, id) < (select at, id from audit_log where id = ${cursor})`)
  if (from !== undefined) conditions.push(sql`at >= ${from}`)
  if (to !== undefined) conditions.push(sql`at < ${to}`)
  if (action !== undefined) conditions.push(sql`action = ${action}`)
  if (actor !== undefined) {
    // The name leads to the entries, by their index.
    conditions.push(sql`(coalesce(actor_name, actor_kind) = ${actor} or (actor_id = ${actor}
      and coalesce(actor_name, actor_kind) = (select name from admin_tokens where id = ${actor})))`)
  }
  if (actorKind !== undefined) conditions.push(sql`actor_kind = ${actorKind}`)
  if (workspaceId !== undefined) conditions.push(sql`workspace_id = ${workspaceId}`)
  if (subject !== undefined) {
    conditions.push(sql`(subject = ${subject} or (action = 'key.rotate' and subject in (
      select id from keys where replaced_by = ${subject}
        and workspace_id = (select workspace_id from keys where id = ${subject}))))`)
  }
  return conditions
}
