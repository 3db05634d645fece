import type { UpstreamFailure } from '../../core/failure.ts'
import type { Route } from '../../upstream/route.ts'
import type { AnswerMode } from '../../upstream/router.ts'
import type { UnsupportedField } from '../../wire/wire.ts'
import type { HeldCall } from '../call.ts'
import type { Produced } from './answer.ts'
import type { AttemptTerms } from './attemptTerms.ts'

/** How a request asks for its answer, whichever target is tried. */
export interface Asking<Whole> {
  readonly mode: AnswerMode
  readonly limitOf: LimitOf
  /** Asks one target. Throws `UpstreamError`, or `UnsupportedField` before anything is sent. */
  readonly attempt: (terms: AttemptTerms) => Promise<Produced<Whole>>
}

/**
 * The output limit that hold and balance set on a route that is asked like this, in tokens for each choice; undefined
 * where they set none.
 */
export type LimitOf = (route: Route, mode: AnswerMode) => number | undefined

/** What one request has met on its way through the routes. */
export interface Course<Whole> {
  readonly call: HeldCall
  readonly asking: Asking<Whole>
  readonly failures: UpstreamFailure[]
  /** Routes that found the request too large. */
  readonly tooSmall: Route[]
  unsupported: UnsupportedField | undefined
  /** What the headers that have left say of the answer. */
  like: { readonly model: Route['model']; readonly dropped: string } | undefined
  /** A target that has refused to stream this request, and how. */
  refusal: { readonly route: Route; readonly failure: UpstreamFailure } | undefined
}
