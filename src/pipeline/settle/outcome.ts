import type { UpstreamFailure } from '../../core/failure.ts'
import type { Nano } from '../../core/money.ts'
import type { Ending, UsageRecord } from '../../core/ports/books.ts'
import type { ReportedUsage, Usage, UsageSource } from '../../core/usage.ts'
import type { Overrun } from '../../core/writeoff.ts'
import type { Answer } from '../dispatch/answer.ts'

/** Of a caller that left before it got an answer: no failure of anybody (nginx's convention). */
export const CLIENT_LEFT_STATUS = 499

/** How a call ended, before it is priced. */
export interface Outcome {
  readonly ending: Ending
  /** The HTTP status the caller got, or would have got; `CLIENT_LEFT_STATUS` where it left before it got one. */
  readonly status: number
  /** Undefined when no provider answered. */
  readonly answer: Answer | undefined
  /** Of an answer that broke off. */
  readonly failure?: UpstreamFailure | undefined
  /** Of an answer that broke off: its caller has content of it. */
  readonly delivered?: boolean
  /** By the provider; not judged yet. */
  readonly reported: ReportedUsage | undefined
  /** Everything that was generated, for counting when nothing usable was reported. */
  readonly generatedText: () => string
  /** What was probably generated unseen. */
  readonly unseen?: UnseenEstimate | undefined
  /** The hold could not grow, so the text ends where the hold did. */
  readonly cut?: boolean
}

/** An outcome with its price: ready to be committed. */
export interface PricedOutcome {
  /** What was used; of output also what is not billed, because it is beyond what was asked for. */
  readonly usage: Usage
  readonly usageSource: UsageSource
  readonly cost: Nano
  readonly record: UsageRecord
  /** Of a call that cost more than it held: why part of that may be written off. */
  readonly overrun: (() => Overrun) | undefined
}

/** Output that was probably generated unseen, for a call whose provider had no time to report. */
export interface UnseenEstimate {
  readonly tokens: number
  /** Or speech: an answer that was asked whole. */
  readonly isReasoning: boolean
  /** All output together is taken for no more: what the hold covers, and what was asked for. */
  readonly outputMost: number
}
