import type { Once, Repetition } from './ports/once.ts'

/** What is stored of a change that may be made once. */
export interface StoredChange {
  readonly inputHash: string
  readonly subject: string
  /** Null: forgotten. */
  readonly answer: string | null
  readonly answerUntil: number | null
}

/** Decides on a change of which an earlier one under the same name is stored (docs/admin-api.md#repeating-a-request). */
export function decideRepetition(
  stored: StoredChange,
  { inputHash, at }: Pick<Once<unknown>, 'inputHash' | 'at'>,
): Repetition {
  if (stored.inputHash !== inputHash) return { kind: 'conflict' }
  const { answer, answerUntil, subject } = stored
  if (answer === null || (answerUntil !== null && answerUntil <= at)) return { kind: 'forgotten', subject }
  return { kind: 'repeated', answer, subject }
}
