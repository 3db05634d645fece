import type { IdSource, WorkspaceId } from '../core/id.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { AuditAction, AuditEntry, FieldChange, Recorder } from '../core/ports/audit.ts'
import type { Act, Acting } from './act.ts'

/** The first start makes a workspace and a key without being asked. */
export const BY_ITSELF: Acting = { actor: { kind: 'gateway' }, address: null, requestId: null }

/** What names a thing and its place: no change ever touches it, and the entry has it anyway. */
const IDENTITY = new Set(['id', 'workspace_id', 'created'])

export interface RecordingDeps {
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly ids: Pick<IdSource, 'audit'>
  /** Hears of each change when it is stored. */
  readonly onChange?: ((entry: AuditEntry) => void) | undefined
}

interface Described {
  readonly action: AuditAction
  readonly workspaceId: WorkspaceId | null
  readonly subject: string
  /** As the admin API shows it; absent: it has just been made. */
  readonly before?: object | undefined
  readonly after: object
}

/** A change of which an entry is written in its own step. */
export interface Recording<After, Before> {
  readonly record: Recorder<After, Before>
  /** To be called when the step is done. */
  done(): void
}

export function recording<After, Before = After>(
  { by = BY_ITSELF }: Act,
  { clock, ids, onChange }: RecordingDeps,
  describe: (after: After, before: Before | undefined) => Described,
): Recording<After, Before> {
  let written: AuditEntry | undefined
  return {
    record(after, before) {
      const { action, workspaceId, subject, ...views } = describe(after, before)
      const changes = changesOf(views.before, views.after)
      const at = clock()
      written =
        Object.keys(changes).length === 0
          ? undefined
          : { id: ids.audit(), at, lastAt: at, count: 1, action, ...by, workspaceId, subject, changes }
      return written
    },
    done() {
      if (written) onChange?.(written)
    },
  }
}

function changesOf(before: object | undefined, after: object): Record<string, FieldChange> {
  const old = (before ?? {}) as JsonObject
  const changes: Record<string, FieldChange> = {}
  for (const [field, now] of Object.entries(after as Record<string, Json>)) {
    const was = old[field] ?? null
    if (!IDENTITY.has(field) && JSON.stringify(was) !== JSON.stringify(now))
      changes[field] = { before: was, after: now }
  }
  return changes
}
