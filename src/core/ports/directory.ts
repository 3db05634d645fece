import type { KeyId, WorkspaceId } from '../id.ts'
import type { Nano } from '../money.ts'
import type { Recorder } from './audit.ts'
import type { Once, Repetition } from './once.ts'
import type { Page, PageRequest } from './page.ts'

export type WorkspaceType = 'personal' | 'organization'

export interface Workspace {
  readonly id: WorkspaceId
  readonly name: string
  readonly type: WorkspaceType
  /** Overrides the type's default of requests per minute; null: the default. */
  readonly requestsPerMinute: number | null
  /** Ids of the models it may use; null: all. */
  readonly models: readonly string[] | null
  /** Whether answers of Responses are kept for its callers, where the configuration keeps any. */
  readonly keepResponses: boolean
  readonly balance: Nano
  /** Sum of the open holds; part of the balance. */
  readonly held: Nano
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

export interface Key {
  readonly id: KeyId
  readonly workspaceId: WorkspaceId
  readonly name: string
  /** First characters of the secret, for people to recognise it: `tg_AB12…`. Never enough to use it. */
  readonly hint: string
  readonly requestsPerMinute: number | null
  readonly requestsPerDay: number | null
  /** Hard, per UTC calendar month. */
  readonly monthlySpend: Nano | null
  readonly concurrentRequests: number | null
  /** Ids of the models it may use, within the workspace's; null: all of those. */
  readonly models: readonly string[] | null
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly createdAt: number
  /** The key that took its place when it was rotated. */
  readonly replacedBy: KeyId | null
  /** Whose windows, slots and monthly spend it uses: its own id, or that of the first key of its line of rotations. */
  readonly countersId: KeyId
}

/** What authentication needs of a key: the key, and of its workspace what admission and plan need. */
export interface KeyWithWorkspace {
  readonly key: Key
  readonly workspace: Pick<
    Workspace,
    'id' | 'name' | 'type' | 'requestsPerMinute' | 'models' | 'keepResponses'
  >
}

export type NewWorkspace = Omit<Workspace, 'balance' | 'held'>
export type WorkspaceChange = Partial<
  Pick<Workspace, 'name' | 'type' | 'requestsPerMinute' | 'models' | 'keepResponses'>
>
/** `secretHash`: SHA-256 of the secret, lowercase hexadecimal. The secret itself is never stored. */
export type NewKey = Omit<Key, 'revokedAt' | 'replacedBy' | 'countersId'> & { readonly secretHash: string }
export type KeyChange = Partial<
  Pick<
    Key,
    | 'name'
    | 'requestsPerMinute'
    | 'requestsPerDay'
    | 'monthlySpend'
    | 'concurrentRequests'
    | 'models'
    | 'expiresAt'
  >
>

/** Gives a key a successor with the same limits and the same counters; the old one ends now, or after an overlap. */
export interface Rotation {
  readonly id: KeyId
  readonly at: number
  /** How long the old key goes on working, in milliseconds; 0: it is revoked. */
  readonly overlapMs: number
  readonly successor: { readonly id: KeyId; readonly hint: string; readonly secretHash: string }
}

export interface Rotated {
  readonly key: Key
  /** The old key as it is from now on. */
  readonly previous: Key
}

export type RotationVerdict =
  | { readonly kind: 'made'; readonly made: Rotated }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'ended'; readonly status: 'revoked' | 'expired' }
  /** It has been rotated before. */
  | { readonly kind: 'replaced'; readonly by: KeyId }
  | Repetition

/** Workspaces and keys. Who is given a `record` writes it down in the step of the change. */
export interface Directory {
  createWorkspace(
    workspace: NewWorkspace,
    once?: Once<Workspace>,
    record?: Recorder<Workspace>,
  ): Promise<{ readonly kind: 'made'; readonly made: Workspace } | Repetition>
  workspace(id: WorkspaceId): Promise<Workspace | undefined>
  workspaces(page: PageRequest): Promise<Page<Workspace>>
  /** Undefined when there is no such workspace; else the workspace after the change. */
  updateWorkspace(
    id: WorkspaceId,
    change: WorkspaceChange,
    record?: Recorder<Workspace>,
  ): Promise<Workspace | undefined>

  createKey(
    key: NewKey,
    once?: Once<Key>,
    record?: Recorder<Key>,
  ): Promise<{ readonly kind: 'made'; readonly made: Key } | { readonly kind: 'no_workspace' } | Repetition>
  /** One step: of several rotations of a key at once, one is made. */
  rotateKey(
    rotation: Rotation,
    once?: Once<Rotated>,
    record?: Recorder<Rotated, Key>,
  ): Promise<RotationVerdict>
  key(id: KeyId): Promise<Key | undefined>
  keys(workspace: WorkspaceId, page: PageRequest): Promise<Page<Key>>
  updateKey(id: KeyId, change: KeyChange, record?: Recorder<Key>): Promise<Key | undefined>
  /** Revokes at the given moment; a second revocation changes nothing. Undefined when there is no such key. */
  revokeKey(id: KeyId, at: number, record?: Recorder<Key>): Promise<Key | undefined>
  /** Finds a key by the SHA-256 of its secret, revoked and expired ones included: the caller decides. */
  findKey(secretHash: string): Promise<KeyWithWorkspace | undefined>
  /** Forgets the answers of changes whose time is over; returns how many. */
  forgetAnswers(at: number): Promise<number>
  /** Calls back when keys or workspaces may have changed in any process; returns the way to stop. */
  onChange(listener: (change: { key?: KeyId; workspace?: WorkspaceId }) => void): () => void
}
