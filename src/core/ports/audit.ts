import type { AdminTokenId, AuditId, RequestId, WorkspaceId } from '../id.ts'
import type { Json } from '../json.ts'
import type { Once, Repetition } from './once.ts'
import type { Page, PageRequest } from './page.ts'

/** Who changes something, or tries to. */
export type Actor =
  /** Whoever carries an admin token that is kept in the store. */
  | { readonly kind: 'token'; readonly id: AdminTokenId; readonly name: string }
  /** Whoever carries the admin token of the configuration. */
  | { readonly kind: 'configuration' }
  /** A person beside the database. */
  | { readonly kind: 'command_line'; readonly name: string }
  /** Tollgate itself, at its first start. */
  | { readonly kind: 'gateway' }
  /** Somebody who was not let in. */
  | { readonly kind: 'unknown' }

export const ACTOR_KINDS = ['token', 'configuration', 'command_line', 'gateway', 'unknown'] as const
export type ActorKind = Actor['kind']

export const AUDIT_ACTIONS = [
  'workspace.create',
  'workspace.update',
  'workspace.credit',
  'key.create',
  'key.update',
  'key.rotate',
  'key.revoke',
  'token.create',
  'token.revoke',
  'token.refuse',
  'provider.release',
  'database.restore',
  'database.move',
] as const
/** What was done; `token.refuse`: somebody came with a wrong admin token. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** One change of the operator, or the wrong admin tokens of one address in one minute. Holds no secret. */
export interface AuditEntry {
  readonly id: AuditId
  /** In milliseconds since the epoch; of several wrong tokens the first. */
  readonly at: number
  /** The last of several wrong tokens; else `at`. */
  readonly lastAt: number
  /** How many wrong tokens; else 1. */
  readonly count: number
  readonly action: AuditAction
  readonly actor: Actor
  /** Where it came from: an IP address, a machine's name beside the database; null: not known, or several. */
  readonly address: string | null
  /** The `X-Request-ID` of the answer; null beside the database. */
  readonly requestId: RequestId | null
  readonly workspaceId: WorkspaceId | null
  /** The id of what was made or changed. */
  readonly subject: string | null
  /** The fields that changed, as the admin API shows them. */
  readonly changes: Readonly<Record<string, FieldChange>>
}

export interface FieldChange {
  readonly before: Json
  readonly after: Json
}

/** Writes down a change in its own step; undefined: nothing has changed. May be called again when the step is repeated. */
export type Recorder<After, Before = After> = (
  after: After,
  before: Before | undefined,
) => AuditEntry | undefined

export interface AuditQuery extends PageRequest {
  /** In milliseconds since the epoch, included. */
  readonly from?: number
  /** Not included. */
  readonly to?: number
  readonly action?: AuditAction
  /** The name or the id of a token, the name of a person, or a kind of actor without one. */
  readonly actor?: string
  readonly actorKind?: ActorKind
  readonly workspaceId?: WorkspaceId
  /** Of a key that another one was rotated into, that rotation, too. */
  readonly subject?: string
}

/** Who did what. Changes are kept for ever, wrong tokens for `KEEP_REFUSED_TOKENS_MS`. */
export interface AuditLog {
  entries(query: AuditQuery): Promise<Page<AuditEntry>>
  entry(id: AuditId): Promise<AuditEntry | undefined>
  /**
   * Stores the entry of a change that is about to be made outside of the database, unless one under the same name was
   * made before.
   *
   * @param entry undefined: there is nothing to change
   * @param made what the change gives
   */
  record<Made>(
    entry: AuditEntry | undefined,
    made: Made,
    once?: Once<Made>,
  ): Promise<{ readonly kind: 'made'; readonly made: Made } | Repetition>
  /** Stores entries of wrong tokens, or their new counts. */
  keepRefusedTokens(entries: readonly AuditEntry[]): Promise<void>
  /** Deletes wrong tokens that were kept long enough; returns how many entries. */
  forget(at: number): Promise<number>
}

/** How long wrong admin tokens are kept, in milliseconds. */
export const KEEP_REFUSED_TOKENS_MS = 30 * 24 * 60 * 60_000
