import type { CompiledQuery, Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { ZERO } from '../../core/money.ts'
import type {
  Directory,
  Key,
  KeyChange,
  NewKey,
  NewWorkspace,
  Rotation,
  RotationVerdict,
  Workspace,
  WorkspaceChange,
} from '../../core/ports/directory.ts'
import type { Repetition } from '../../core/ports/once.ts'
import type { Recorder } from '../../core/ports/audit.ts'
import { decideRotation } from '../../core/rotation.ts'
import { readKey, readWorkspace, writeFlag, writeList } from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { Atomically } from './atomically.ts'
import { recorded } from './audit.ts'
import { createChangesOnce, made } from './changesOnce.ts'

type Changes = Pick<
  Directory,
  'createWorkspace' | 'updateWorkspace' | 'createKey' | 'updateKey' | 'revokeKey' | 'rotateKey'
>

/** Changes of the directory that are one step each, the same on every engine. */
export function createDirectoryChanges(db: Kysely<Schema>, atomically: Atomically): Changes {
  const make = createChangesOnce(db, atomically)
  const keyById = (id: string): CompiledQuery =>
    db
      .selectFrom('keys')
      .selectAll()
      .where('id', '=', id)
      .$if(atomically.locks, (query) => query.forUpdate())
      .compile()
  const insertKey = (key: Key, secretHash: string): CompiledQuery =>
    db.insertInto('keys').values(keyRow(key, secretHash)).compile()

  const workspaceById = (id: string): CompiledQuery =>
    db
      .selectFrom('workspaces')
      .selectAll()
      .where('id', '=', id)
      .$if(atomically.locks, (query) => query.forUpdate())
      .compile()

  function changeKey(
    id: string,
    changeOf: (before: Key) => KeyChange & Partial<Pick<Key, 'revokedAt'>>,
    record: Recorder<Key> | undefined,
  ): Promise<Key | undefined> {
    return atomically.run<Key | undefined>({
      load: [keyById(id)],
      decide([rows = []]) {
        const [row] = rows as Selectable<Schema['keys']>[]
        if (!row) return { writes: [], result: undefined }
        const before = readKey(row)
        const change = changeOf(before)
        const columns = keyColumns(change)
        if (Object.keys(columns).length === 0) return { writes: [], result: before }
        const after = { ...before, ...change }
        const update = db.updateTable('keys').set(columns).where('id', '=', id).compile()
        return { writes: [update, ...recorded(db, record?.(after, before))], result: after }
      },
    })
  }

  return {
    createWorkspace(workspace, once, record) {
      const { id } = workspace
      return make(once, {
        load: [db.selectFrom('workspaces').selectAll().where('id', '=', id).compile()],
        decide([existing = []]) {
          const [row] = existing as Selectable<Schema['workspaces']>[]
          // The step was lost in its commit, and is repeated: it was made.
          if (row) return { writes: [], result: made(readWorkspace(row)) }
          const result: Workspace = { ...workspace, balance: ZERO, held: ZERO }
          const writes = [insertWorkspace(db, workspace), ...recorded(db, record?.(result, undefined))]
          return { writes, result: made(result) }
        },
      })
    },

    createKey({ secretHash, ...fresh }: NewKey, once, record) {
      return make<Key, { readonly kind: 'no_workspace' }>(once, {
        // A workspace is never deleted, so it is still there when the key is written.
        load: [
          db.selectFrom('workspaces').select('id').where('id', '=', fresh.workspaceId).compile(),
          keyById(fresh.id),
        ],
        decide([workspaces = [], existing = []]) {
          if (workspaces.length === 0) return { writes: [], result: { kind: 'no_workspace' } }
          const [row] = existing as Selectable<Schema['keys']>[]
          if (row) return { writes: [], result: made(readKey(row)) }
          const key: Key = { ...fresh, revokedAt: null, replacedBy: null, countersId: fresh.id }
          const writes = [insertKey(key, secretHash), ...recorded(db, record?.(key, undefined))]
          return { writes, result: made(key) }
        },
      })
    },

    updateWorkspace(id, change, record) {
      return atomically.run<Workspace | undefined>({
        load: [workspaceById(id)],
        decide([rows = []]) {
          const [row] = rows as Selectable<Schema['workspaces']>[]
          const before = row && readWorkspace(row)
          const columns = workspaceColumns(change)
          if (!before || Object.keys(columns).length === 0) return { writes: [], result: before }
          const after = { ...before, ...change }
          const update = db.updateTable('workspaces').set(columns).where('id', '=', id).compile()
          return { writes: [update, ...recorded(db, record?.(after, before))], result: after }
        },
      })
    },

    updateKey: (id, change, record) => changeKey(id, () => change, record),
    // A second revocation changes nothing.
    revokeKey: (id, at, record) =>
      changeKey(id, ({ revokedAt }) => (revokedAt === null ? { revokedAt: at } : {}), record),

    rotateKey(rotation: Rotation, once, record): Promise<RotationVerdict> {
      return make<Rotated, Exclude<RotationVerdict, { kind: 'made' } | Repetition>>(once, {
        load: [keyById(rotation.id)],
        decide([rows = []]) {
          const [row] = rows as Selectable<Schema['keys']>[]
          const old = row && readKey(row)
          const result = decideRotation(old, rotation)
          if (result.kind !== 'made') return { writes: [], result }
          const { key, previous } = result.made
          const ended = db
            .updateTable('keys')
            .set({
              replaced_by: previous.replacedBy,
              revoked_at: previous.revokedAt,
              expires_at: previous.expiresAt,
            })
            .where('id', '=', previous.id)
            .compile()
          const writes = [
            ended,
            insertKey(key, rotation.successor.secretHash),
            ...recorded(db, record?.(result.made, old)),
          ]
          return { writes, result }
        },
      })
    },
  }
}

type Rotated = Extract<RotationVerdict, { kind: 'made' }>['made']

function insertWorkspace(db: Kysely<Schema>, workspace: NewWorkspace): CompiledQuery {
  return db
    .insertInto('workspaces')
    .values({
      id: workspace.id,
      name: workspace.name,
      type: workspace.type,
      requests_per_minute: workspace.requestsPerMinute,
      models: writeList(workspace.models),
      keep_responses: writeFlag(workspace.keepResponses),
      created_at: workspace.createdAt,
      balance: 0,
      held: 0,
    })
    .compile()
}

function keyRow(key: Key, secretHash: string): Insertable<Schema['keys']> {
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    name: key.name,
    hint: key.hint,
    secret_hash: secretHash,
    requests_per_minute: key.requestsPerMinute,
    requests_per_day: key.requestsPerDay,
    monthly_spend: key.monthlySpend,
    concurrent_requests: key.concurrentRequests,
    models: writeList(key.models),
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    created_at: key.createdAt,
    replaced_by: key.replacedBy,
    counters_id: key.countersId === key.id ? null : key.countersId,
  }
}

function workspaceColumns(change: WorkspaceChange): Updateable<Schema['workspaces']> {
  return {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.type !== undefined && { type: change.type }),
    ...(change.requestsPerMinute !== undefined && { requests_per_minute: change.requestsPerMinute }),
    ...(change.models !== undefined && { models: writeList(change.models) }),
    ...(change.keepResponses !== undefined && { keep_responses: writeFlag(change.keepResponses) }),
  }
}

function keyColumns(change: KeyChange & Partial<Pick<Key, 'revokedAt'>>): Updateable<Schema['keys']> {
  return {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.requestsPerMinute !== undefined && { requests_per_minute: change.requestsPerMinute }),
    ...(change.requestsPerDay !== undefined && { requests_per_day: change.requestsPerDay }),
    ...(change.monthlySpend !== undefined && { monthly_spend: change.monthlySpend }),
    ...(change.concurrentRequests !== undefined && { concurrent_requests: change.concurrentRequests }),
    ...(change.models !== undefined && { models: writeList(change.models) }),
    ...(change.expiresAt !== undefined && { expires_at: change.expiresAt }),
    ...(change.revokedAt !== undefined && { revoked_at: change.revokedAt }),
  }
}
