import type { KeyId, WorkspaceId } from '../id.ts'
import type { Nano } from '../money.ts'

export type WorkspaceType = 'personal' | 'organization'

export interface Workspace {
  readonly id: WorkspaceId
  readonly name: string
  readonly type: WorkspaceType
  /** Overrides the type's default of requests per minute; null: the default. */
  readonly requestsPerMinute: number | null
  /** Ids of the models it may use; null: all. */
  readonly models: readonly string[] | null
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
}

/** What authentication needs of a key: the key, and of its workspace what admission and plan need. */
export interface KeyWithWorkspace {
  readonly key: Key
  readonly workspace: Pick<Workspace, 'id' | 'name' | 'type' | 'requestsPerMinute' | 'models'>
}

export type NewWorkspace = Omit<Workspace, 'balance' | 'held'>
export type WorkspaceChange = Partial<Pick<Workspace, 'name' | 'type' | 'requestsPerMinute' | 'models'>>
/** `secretHash`: SHA-256 of the secret, lowercase hexadecimal. The secret itself is never stored. */
export type NewKey = Omit<Key, 'revokedAt'> & { readonly secretHash: string }
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

/** A page of a list: `cursor` is the last id of the page before; lists are newest first. */
export interface PageRequest {
  readonly limit: number
  readonly cursor?: string
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Undefined when this page is the last. */
  readonly nextCursor: string | undefined
}

/** Workspaces and keys. */
export interface Directory {
  createWorkspace(workspace: NewWorkspace): Promise<void>
  workspace(id: WorkspaceId): Promise<Workspace | undefined>
  workspaces(page: PageRequest): Promise<Page<Workspace>>
  /** Undefined when there is no such workspace; else the workspace after the change. */
  updateWorkspace(id: WorkspaceId, change: WorkspaceChange): Promise<Workspace | undefined>

  /** False when the workspace does not exist. */
  createKey(key: NewKey): Promise<boolean>
  key(id: KeyId): Promise<Key | undefined>
  keys(workspace: WorkspaceId, page: PageRequest): Promise<Page<Key>>
  updateKey(id: KeyId, change: KeyChange): Promise<Key | undefined>
  /** Revokes at the given moment; a second revocation changes nothing. Undefined when there is no such key. */
  revokeKey(id: KeyId, at: number): Promise<Key | undefined>
  /** Finds a key by the SHA-256 of its secret, revoked and expired ones included: the caller decides. */
  findKey(secretHash: string): Promise<KeyWithWorkspace | undefined>
  /** Calls back when keys or workspaces may have changed in any process; returns the way to stop. */
  onChange(listener: (change: { key?: KeyId; workspace?: WorkspaceId }) => void): () => void
}
