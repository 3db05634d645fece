import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import type { Attempt } from '../../core/ports/books.ts'
import type { EventStream } from '../../upstream/eventStream.ts'
import type { Route } from '../../upstream/route.ts'
import type { AnswerMode } from '../../upstream/router.ts'

/** What a target has answered: all of it, or a stream with its first valid event in hand. */
export type Produced<Whole> =
  | { readonly kind: 'whole'; readonly response: Whole }
  | { readonly kind: 'stream'; readonly stream: EventStream }

/** An answer that has begun. */
export interface Answer<Whole = unknown> {
  readonly route: Route
  /** Names the credential that it was asked with, where its provider needs one. */
  readonly credential: string | undefined
  readonly body: Produced<Whole>
  /** When the provider may have begun to work on it. */
  readonly sentAt: number
  readonly firstEventAt: number
  /** Calls that made this answer: `n` where choices are made by parallel calls. */
  readonly calls: number
  /**
   * The output limit for each choice that it was asked for with, where that is lower than what the caller asked for: the
   * balance pays no more.
   */
  readonly limit: number | undefined
  /** The caller's money set a limit: that of each choice, or it did not pay for all choices. */
  readonly isLimited: boolean
  /** It has failed, router and log know it, and another one is asked for, or none came. Absent: it counts. */
  readonly replacement?: 'awaited' | 'none' | undefined
}

/** How an answer failed of which the caller has no content. */
export interface BrokenAnswer {
  readonly failure: UpstreamFailure
  /** Its headers have left: another has to be of the same model, with the same fields left out. */
  readonly headersLeft: boolean
}

/** Gives an answer, and another one where that failed before the caller has content of it. Rejects as `dispatch` throws. */
export type NextAnswer<Whole> = (broken?: BrokenAnswer) => Promise<Answer<Whole>>

/** An attempt that a provider may be working on. */
export interface Underway {
  readonly route: Route
  readonly mode: AnswerMode
  /** Milliseconds since the epoch. */
  readonly sentAt: number
  /** As of an `Answer`. */
  readonly limit: number | undefined
  /** What of the answer is in hand: choices, where several calls make them, and usage. */
  part: Pick<WholeAnswer, 'choices' | 'usage'> | undefined
}

/** What the attempts of a request leave behind, whatever comes of it. */
export interface DispatchLog {
  readonly attempts: Attempt[]
  /** The most prompts that one attempt has sent: up to `n` where choices are made by parallel calls. */
  sent: number
  /** The attempt that was sent and has neither failed nor answered; one whose answer found no room in its share remains. */
  underway: Underway | undefined
  /** Where it was sent last. */
  sentTo: Route | undefined
  /** The length of the body that was sent last: of several parallel calls, of each. */
  sentBytes: number
  /** Request fields that the answering target could not take. */
  dropped: readonly string[]
}
