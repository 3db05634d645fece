/** Lets a change be made at most once, and decides the answer to a repetition (docs/admin-api.md#repeating-a-request). */
export interface Once<Made> {
  /** SHA-256 of the kind of change and its idempotency key. */
  readonly name: string
  /** SHA-256 of all that was asked for beside. */
  readonly inputHash: string
  readonly at: number
  /** What a repetition is answered; called inside the step. */
  readonly answerOf: (made: Made) => string
  /** The id of what is made: all that is known of it after `answerUntil`. */
  readonly subject: string
  /** Until when the answer is kept, in milliseconds since the epoch; null: for ever. */
  readonly answerUntil: number | null
}

/** What is found under the name of a change that was made before. */
export type Repetition =
  | { readonly kind: 'repeated'; readonly answer: string; readonly subject: string }
  /** The answer was kept for its time. */
  | { readonly kind: 'forgotten'; readonly subject: string }
  /** Something else was asked for under this name. */
  | { readonly kind: 'conflict' }
