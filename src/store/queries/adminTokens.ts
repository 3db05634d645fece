import { sql, type CompiledQuery, type Kysely, type Selectable } from 'kysely'
import type { AdminTokenId } from '../../core/id.ts'
import type { AdminToken, AdminTokens } from '../../core/ports/adminTokens.ts'
import { readAdminToken } from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { Atomically } from './atomically.ts'
import { recorded } from './audit.ts'
import { createChangesOnce, type Made, made } from './changesOnce.ts'
import { olderThan, pageOf, requireCursor, rowsToRead } from './page.ts'

type Rows = Selectable<Schema['admin_tokens']>[]

/** Admin tokens with names, the same on every engine. */
export function createAdminTokens(db: Kysely<Schema>, atomically: Atomically): AdminTokens {
  const once = createChangesOnce(db, atomically)
  const inForce = (name: string): CompiledQuery =>
    db
      .selectFrom('admin_tokens')
      .selectAll()
      .where(sql<string>`lower(name)`, '=', name.toLowerCase())
      .where('revoked_at', 'is', null)
      .compile()
  const byId = (id: string): CompiledQuery =>
    db
      .selectFrom('admin_tokens')
      .selectAll()
      .where('id', '=', id)
      .$if(atomically.locks, (query) => query.forUpdate())
      .compile()

  async function token(id: AdminTokenId): Promise<AdminToken | undefined> {
    const row = await db.selectFrom('admin_tokens').selectAll().where('id', '=', id).executeTakeFirst()
    return row && readAdminToken(row)
  }

  return {
    token,

    create({ secretHash, ...fresh }, changedOnce, record) {
      type NameTaken = { readonly kind: 'name_taken'; readonly by: AdminTokenId }
      return once<AdminToken, NameTaken>(changedOnce, {
        load: [byId(fresh.id), inForce(fresh.name)],
        decide([same = [], named = []]): {
          writes: readonly CompiledQuery[]
          result: Made<AdminToken> | NameTaken
        } {
          const [existing] = same as Rows
          // The step was lost in its commit, and is repeated: it was made.
          if (existing) return { writes: [], result: made(readAdminToken(existing)) }
          const [other] = named as Rows
          if (other) return { writes: [], result: { kind: 'name_taken', by: other.id as AdminTokenId } }
          const result: AdminToken = { ...fresh, revokedAt: null, lastUsedAt: null, lastUsedFrom: null }
          const { id, name, hint, createdAt } = fresh
          const insert = db
            .insertInto('admin_tokens')
            .values({ id, name, hint, secret_hash: secretHash, created_at: createdAt })
            .compile()
          return { writes: [insert, ...recorded(db, record?.(result, undefined))], result: made(result) }
        },
      })
    },

    async tokens(page) {
      await requireCursor(page, async (id) => (await token(id as AdminTokenId)) !== undefined)
      let query = db
        .selectFrom('admin_tokens')
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsToRead(page))
      if (page.cursor !== undefined) query = query.where(olderThan('admin_tokens', 'created_at', page.cursor))
      return pageOf((await query.execute()).map(readAdminToken), page)
    },

    revoke(id, at, record) {
      return atomically.run<AdminToken | undefined>({
        load: [byId(id)],
        decide([rows = []]) {
          const [row] = rows as Rows
          const before = row && readAdminToken(row)
          if (!before || before.revokedAt !== null) return { writes: [], result: before }
          const after = { ...before, revokedAt: at }
          const update = db.updateTable('admin_tokens').set({ revoked_at: at }).where('id', '=', id).compile()
          return { writes: [update, ...recorded(db, record?.(after, before))], result: after }
        },
      })
    },

    async named(name) {
      const row = await db
        .selectFrom('admin_tokens')
        .selectAll()
        .where('name', '=', name)
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && readAdminToken(row)
    },

    async find(secretHash) {
      const row = await db
        .selectFrom('admin_tokens')
        .selectAll()
        .where('secret_hash', '=', secretHash)
        .executeTakeFirst()
      return row && readAdminToken(row)
    },

    async used(uses) {
      for (const { id, at, address } of uses) {
        await db
          .updateTable('admin_tokens')
          .set({ last_used_at: at, last_used_from: address })
          .where('id', '=', id)
          .where((where) =>
            where.or([where('last_used_at', 'is', null), where('last_used_at', '<', sql<number>`${at}`)]),
          )
          .execute()
      }
    },
  }
}
