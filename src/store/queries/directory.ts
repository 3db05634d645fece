import type { Kysely } from 'kysely'
import type { KeyId, WorkspaceId } from '../../core/id.ts'
import type { Directory, Key, WorkspaceType } from '../../core/ports/directory.ts'
import { readFlag, readKey, readList, readOptionalNumber, readWorkspace } from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { Atomically } from './atomically.ts'
import { createDirectoryChanges } from './directoryChanges.ts'
import { olderThan, pageOf, requireCursor, rowsToRead } from './page.ts'

/** What may have changed; without a name, anything may have. */
export type Change = Parameters<Parameters<Directory['onChange']>[0]>[0]

/** How an engine tells this and other processes of changes. */
export interface ChangeFeed {
  /** Called after a change has been committed. */
  announce(change: Change): void | Promise<void>
  subscribe(listener: (change: Change) => void): () => void
}

const KEY_COLUMNS = [
  'keys.id',
  'keys.workspace_id',
  'keys.name',
  'keys.hint',
  'keys.requests_per_minute',
  'keys.requests_per_day',
  'keys.monthly_spend',
  'keys.concurrent_requests',
  'keys.models',
  'keys.expires_at',
  'keys.revoked_at',
  'keys.created_at',
  'keys.replaced_by',
  'keys.counters_id',
] as const

/** Workspaces and keys, the same on every engine. */
export function createDirectory(db: Kysely<Schema>, changes: ChangeFeed, atomically: Atomically): Directory {
  const making = createDirectoryChanges(db, atomically)

  async function announced(key: Key | undefined): Promise<Key | undefined> {
    if (key) await changes.announce({ key: key.id, workspace: key.workspaceId })
    return key
  }

  const directory: Directory = {
    async createWorkspace(workspace, once, record) {
      const verdict = await making.createWorkspace(workspace, once, record)
      if (verdict.kind === 'made') await changes.announce({ workspace: workspace.id })
      return verdict
    },

    async workspace(id) {
      const row = await db.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirst()
      return row && readWorkspace(row)
    },

    async workspaces(page) {
      await requireCursor(page, async (id) => (await directory.workspace(id as WorkspaceId)) !== undefined)
      let query = db
        .selectFrom('workspaces')
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsToRead(page))
      if (page.cursor !== undefined) query = query.where(olderThan('workspaces', 'created_at', page.cursor))
      return pageOf((await query.execute()).map(readWorkspace), page)
    },

    async updateWorkspace(id, change, record) {
      const workspace = await making.updateWorkspace(id, change, record)
      if (workspace) await changes.announce({ workspace: id })
      return workspace
    },

    async createKey(key, once, record) {
      const verdict = await making.createKey(key, once, record)
      if (verdict.kind === 'made') await announced(verdict.made)
      return verdict
    },

    async rotateKey(rotation, once, record) {
      const verdict = await making.rotateKey(rotation, once, record)
      if (verdict.kind === 'made') await announced(verdict.made.previous)
      return verdict
    },

    async key(id) {
      const row = await db.selectFrom('keys').select(KEY_COLUMNS).where('id', '=', id).executeTakeFirst()
      return row && readKey(row)
    },

    async keys(workspace, page) {
      await requireCursor(page, async (id) => (await directory.key(id as KeyId))?.workspaceId === workspace)
      let query = db
        .selectFrom('keys')
        .select(KEY_COLUMNS)
        .where('workspace_id', '=', workspace)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsToRead(page))
      if (page.cursor !== undefined) query = query.where(olderThan('keys', 'created_at', page.cursor))
      return pageOf((await query.execute()).map(readKey), page)
    },

    updateKey: async (id, change, record) => announced(await making.updateKey(id, change, record)),
    revokeKey: async (id, at, record) => announced(await making.revokeKey(id, at, record)),

    async findKey(secretHash) {
      const row = await db
        .selectFrom('keys')
        .innerJoin('workspaces', 'workspaces.id', 'keys.workspace_id')
        .select(KEY_COLUMNS)
        .select([
          'workspaces.name as workspace_name',
          'workspaces.type as workspace_type',
          'workspaces.requests_per_minute as workspace_requests_per_minute',
          'workspaces.models as workspace_models',
          'workspaces.keep_responses as workspace_keep_responses',
        ])
        .where('secret_hash', '=', secretHash)
        .executeTakeFirst()
      if (!row) return undefined
      return {
        key: readKey(row),
        workspace: {
          id: row.workspace_id as WorkspaceId,
          name: row.workspace_name,
          type: row.workspace_type as WorkspaceType,
          requestsPerMinute: readOptionalNumber(row.workspace_requests_per_minute),
          models: readList(row.workspace_models),
          keepResponses: readFlag(row.workspace_keep_responses),
        },
      }
    },

    async forgetAnswers(at) {
      const { numUpdatedRows } = await db
        .updateTable('admin_changes')
        .set({ answer: null, answer_until: null })
        .where('answer_until', '<=', at)
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },

    onChange: (listener) => changes.subscribe(listener),
  }
  return directory
}
