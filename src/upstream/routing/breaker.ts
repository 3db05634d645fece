import type { FailureKind } from '../../core/failure.ts'
import type { WorkspaceId } from '../../core/id.ts'
import type { CircuitState } from './circuit.ts'
import type { CallCounts } from './errorWindow.ts'
import type { Scope, ScopedBlock } from './scope.ts'

/** What `enter` gives when no call may be made now. */
export const REFUSED = -1

/** A call that `enter` admitted, as far as its circuits are concerned. */
export interface Entered {
  readonly workspaceId: WorkspaceId
  /** What `enter` gave. */
  readonly epoch: number
}

export interface Strike {
  readonly kind: FailureKind
  /** No request can have caused it: it counts for everyone. */
  readonly forEveryone: boolean
}

/** The circuits of one target: one for everyone, and one for each workspace that it fails (docs/routing.md). */
export interface Breaker {
  /** The epoch of a call that begins, or `REFUSED`. Where a circuit is half-open the call is its probe, and the only one. */
  enter(workspaceId: WorkspaceId, now: number): number
  /** The target answered: its first event has arrived, or it refused the request for the request's sake. */
  answered(call: Entered, now: number): void
  struck(call: Entered, strike: Strike, now: number): void
  /** The target answered, and the request or what the model made of it spoiled the answer: a strike for its workspace alone. */
  spoiled(call: Entered, kind: FailureKind, now: number): void
  /** The call ended without saying anything about the target. */
  released(call: Entered): void
  /** An answer came to its end. */
  completed(workspaceId: WorkspaceId): void
  /** An answer that had begun broke off. */
  brokeOff(workspaceId: WorkspaceId, kind: FailureKind, now: number): void
  /** The same because of the request or of what the model made of it: it counts for the workspace alone. */
  brokeOffAlone(workspaceId: WorkspaceId, kind: FailureKind, now: number): void
  /** When the workspace may make its next call; undefined: now. */
  retryAt(workspaceId: WorkspaceId, now: number): number | undefined
  /** The circuit for everyone, and when it is tried again. */
  forEveryone(now: number): { readonly state: CircuitState; readonly retryAt: number | undefined }
  /** Calls and failures within the window. */
  recent(now: number): CallCounts
  blocks(now: number): ScopedBlock[]
  /** Closes the circuit of this workspace, or all of them, and forgets the failures that opened it. */
  lift(scope: Scope): void
}
