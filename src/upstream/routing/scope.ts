import type { FailureKind } from '../../core/failure.ts'
import type { WorkspaceId } from '../../core/id.ts'

/** For whom something holds: everyone, or one workspace. */
export type Scope = WorkspaceId | typeof EVERYONE
export const EVERYONE = 'everyone'

/** Workspaces that a target, or a credential, remembers failures of; the one that failed longest ago goes first. */
export const WORKSPACES_REMEMBERED_MAX = 256
/** A failure that is this long ago is forgotten, unless something is still blocked for it. */
export const FORGOTTEN_AFTER_MS = 60 * 60_000
/** How often the remembered workspaces are looked through for those that can be forgotten. */
export const SWEEP_INTERVAL_MS = 60_000
/** Workspaces that are named when something begins to hold for everyone. */
export const WORKSPACES_NAMED_MAX = 5

/** Something that holds now, for whom, why, and until when (milliseconds since the epoch). */
export interface ScopedBlock {
  readonly scope: Scope
  readonly reason: FailureKind
  readonly until: number
  /** Not used at all meanwhile; else used only when nothing better is left. */
  readonly firm: boolean
}
