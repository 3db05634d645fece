import type { RequestTraits } from '../core/traits.ts'
import type { UpstreamFailure } from '../core/failure.ts'
import type { WorkspaceId } from '../core/id.ts'
import type { Credential } from '../providers/configured.ts'
import type { Route } from './route.ts'
import type { Block, BlockFilter } from './routing/block.ts'
import type { RoutingHealth } from './routing/health.ts'

/**
 * Decides where a request goes next, from the configuration and from how the targets have done: for this workspace, and for
 * all of them.
 */
export interface Router {
  /** The routes in the order to try them. The routes of a model stay together, in the order of the models. */
  order(
    routes: readonly Route[],
    request: RequestTraits,
    mode: AnswerMode,
    workspaceId: WorkspaceId,
  ): readonly Route[]
  /**
   * Starts a call on a route; undefined when none may be made now. Each call is ended by one of the next three.
   *
   * @param tried credentials that have failed this request there: no second try with them
   */
  begin(route: Route, workspaceId: WorkspaceId, mode: AnswerMode, tried?: Tried): RoutedCall | undefined
  /** The same with the credential of a call that failed, whether it is cooling or not: a retry. */
  again(failed: RoutedCall): RoutedCall | undefined
  /** The first event came after so many milliseconds. */
  answered(call: RoutedCall, firstEventMs: number): void
  failed(call: RoutedCall, failure: UpstreamFailure): void
  /** The call ended without a word on the target: its caller left, or the target cannot take the request. */
  abandoned(call: RoutedCall): void
  /**
   * A credential for a call that asks no model, such as a count of tokens. The call is not begun and not ended here, so nothing
   * is learnt from it. Undefined where the workspace does not use the target now.
   */
  borrow(route: Route, workspaceId: WorkspaceId): Pick<RoutedCall, 'credential'> | undefined
  /** How an answer that had begun ended. */
  ended(route: Route, workspaceId: WorkspaceId, end: AnswerEnd): void
  /** Whether the target has a credential that is ready for the workspace and was not tried. */
  hasOtherCredential(route: Route, workspaceId: WorkspaceId, tried: Tried): boolean
  /** Whether and when the workspace may call some of the routes. */
  availability(routes: readonly Route[], workspaceId: WorkspaceId): Availability
  /** Another configuration is in force: what is known of targets and credentials that are in it is kept. */
  keep(routes: readonly Route[]): void
  health(): RoutingHealth
  /** What is not used now; of all providers without a filter. */
  blocks(filter?: BlockFilter): readonly Block[]
  /** Uses all of this again. */
  lift(blocks: readonly Block[]): void
}

export type Tried = ReadonlySet<Credential | undefined>

export interface Availability {
  /** Until the first of them may be called, in milliseconds; 0: now. */
  readonly waitMs: number
  /** Set when none may be, because every credential is refused or unpaid. */
  readonly refused: boolean
}

export type AnswerMode = 'whole' | 'stream'

/** One call to a target, from its start to its outcome. */
export interface RoutedCall {
  readonly route: Route
  /** Undefined when the provider needs none. */
  readonly credential: Credential | undefined
  readonly mode: AnswerMode
  /** For which workspace. */
  readonly workspaceId: WorkspaceId
  /** The epoch of the target's circuits in which it began. */
  readonly epoch: number
}

/** The end of an answer that had begun. */
export interface AnswerEnd {
  /** Undefined: it did not fail. */
  readonly failure: UpstreamFailure | undefined
  /** The caller has content of it. */
  readonly delivered: boolean
  /** Whether the provider came to its end: not where the caller left or the hold ran out. */
  readonly whole: boolean
  /** Of one choice. */
  readonly outputTokens: number
  /** From the call to the end of its answer, in milliseconds. */
  readonly durationMs: number
}
