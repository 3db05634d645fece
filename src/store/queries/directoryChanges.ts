import { type CompiledQuery, type Insertable, type Kysely, type Selectable } from 'kysely'
import { ZERO } from '../../core/money.ts'
import { type StoredChange, decideRepetition } from '../../core/once.ts'
import type {
  Directory,
  Key,
  NewKey,
  NewWorkspace,
  Once,
  Repetition,
  Rotation,
  RotationVerdict,
  Workspace,
} from '../../core/ports/directory.ts'
import { decideRotation } from '../../core/rotation.ts'
import { readKey, readStoredChange, readWorkspace, writeList } from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { AtomicChange, Atomically } from './atomically.ts'

type Made<Result> = { readonly kind: 'made'; readonly made: Result }
type Changes = Pick<Directory, 'createWorkspace' | 'createKey' | 'rotateKey'>

/** Changes of the directory that are one step each, the same on every engine. */
export function createDirectoryChanges(db: Kysely<Schema>, atomically: Atomically): Changes {
  /** Makes the change, unless one under its name was made before. */
  function make<Result, Refused extends { readonly kind: string }>(
    once: Once<Result> | undefined,
    change: AtomicChange<Made<Result> | Refused>,
  ): Promise<Made<Result> | Refused | Repetition> {
    if (!once) return atomically.run(change)
    const { load, decide } = change
    return atomically.run<Made<Result> | Refused | Repetition>({
      load: [earlierChange(once.name), ...load],
      decide([earlier = [], ...loaded]) {
        const [row] = earlier as Selectable<Schema['admin_changes']>[]
        if (row) return { writes: [], result: decideRepetition(readStoredChange(row), once) }
        const { writes, result } = decide(loaded)
        if (!isMade(result)) return { writes, result }
        return { writes: [...writes, insertChange(once, once.answerOf(result.made))], result }
      },
    })
  }

  function earlierChange(name: string): CompiledQuery {
    return db
      .selectFrom('admin_changes')
      .selectAll()
      .where('name', '=', name)
      .$if(atomically.locks, (query) => query.forUpdate())
      .compile()
  }

  function insertChange({ name, inputHash, subject, answerUntil, at }: Once<never>, answer: string) {
    const row: StoredChange = { inputHash, subject, answer, answerUntil }
    return db
      .insertInto('admin_changes')
      .values(changeRow(name, row, at))
      .compile()
  }

  const keyById = (id: string): CompiledQuery =>
    db
      .selectFrom('keys')
      .selectAll()
      .where('id', '=', id)
      .$if(atomically.locks, (query) => query.forUpdate())
      .compile()
  const insertKey = (key: Key, secretHash: string): CompiledQuery =>
    db.insertInto('keys').values(keyRow(key, secretHash)).compile()

  return {
    createWorkspace(workspace, once) {
      const { id } = workspace
      return make(once, {
        load: [db.selectFrom('workspaces').selectAll().where('id', '=', id).compile()],
        decide([existing = []]) {
          const [row] = existing as Selectable<Schema['workspaces']>[]
          // The step was lost in its commit, and is repeated: it was made.
          if (row) return { writes: [], result: made(readWorkspace(row)) }
          const result: Workspace = { ...workspace, balance: ZERO, held: ZERO }
          return { writes: [insertWorkspace(db, workspace)], result: made(result) }
        },
      })
    },

    createKey({ secretHash, ...fresh }: NewKey, once) {
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
          return { writes: [insertKey(key, secretHash)], result: made(key) }
        },
      })
    },

    rotateKey(rotation: Rotation, once): Promise<RotationVerdict> {
      return make<Rotated, Exclude<RotationVerdict, { kind: 'made' } | Repetition>>(once, {
        load: [keyById(rotation.id)],
        decide([rows = []]) {
          const [row] = rows as Selectable<Schema['keys']>[]
          const result = decideRotation(row && readKey(row), rotation)
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
          return { writes: [ended, insertKey(key, rotation.successor.secretHash)], result }
        },
      })
    },
  }
}

type Rotated = Extract<RotationVerdict, { kind: 'made' }>['made']

function made<Result>(result: Result): Made<Result> {
  return { kind: 'made', made: result }
}

function isMade<Result>(result: Made<Result> | { readonly kind: string }): result is Made<Result> {
  return result.kind === 'made'
}

function insertWorkspace(db: Kysely<Schema>, workspace: NewWorkspace): CompiledQuery {
  return db
    .insertInto('workspaces')
    .values({
      id: workspace.id,
      name: workspace.name,
      type: workspace.type,
      requests_per_minute: workspace.requestsPerMinute,
      models: writeList(workspace.models),
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

function changeRow(name: string, change: StoredChange, at: number): Insertable<Schema['admin_changes']> {
  const { inputHash, subject, answer, answerUntil } = change
  return { name, input_hash: inputHash, subject, answer, answer_until: answerUntil, made_at: at }
}
