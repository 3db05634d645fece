import type { AnswerEvent } from '../../../src/core/answer/event.ts'

/** What a caller reads in a stream. */
export interface Heard {
  readonly events: readonly AnswerEvent[]
  /** `whole`: its last event came. `broken`: it ended with an error. `cut`: neither. */
  readonly end: 'whole' | 'broken' | 'cut'
}
