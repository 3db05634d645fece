import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import type { Together } from '../../upstream/fanOut.ts'
import type { AnswerMode } from '../../upstream/router.ts'
import type { CallOptions } from '../../upstream/send.ts'

/** How one target is asked. */
export interface AttemptTerms {
  /** An endpoint that never streams asks for a whole answer all the same. */
  readonly mode: AnswerMode
  /** The output limit for each choice, in tokens, where hold and balance pay less than was asked for. */
  readonly limit: number | undefined
  readonly options: CallOptions
  /** How several calls for several choices run beside each other. */
  readonly forChoices: () => ForChoices
}

/** What several calls of one request have to keep to, and report. */
export interface ForChoices extends Omit<Together, 'count'> {
  /** Called when one of several calls that was sent has failed: the caller does not pay for its prompt. */
  readonly onRefused: () => void
  /** Called with the choices that are in hand, each time there are more. */
  readonly onPart: (part: WholeAnswer) => void
  /** Whether the caller's money pays for so many more prompts; then they are held. */
  readonly pays: (prompts: number) => Promise<boolean>
}
