import type { Nano } from './money.ts'

/** Why part of a cost was written off; docs/operations.md says what an operator does about each. */
export const WRITEOFF_CAUSES = ['hold_gone', 'prompt', 'seen_output', 'unseen_output'] as const

/**
 * `hold_gone`: the hold would have paid it. `prompt`: the prompt has more tokens than were held for it. `seen_output`: the
 * output went beyond the hold, and was seen growing. `unseen_output`: it was not.
 */
export type WriteoffCause = (typeof WRITEOFF_CAUSES)[number]

/** A call of which part was written off. */
export interface Overrun {
  /** Everything that it held, extensions included, whether or not that is still there. */
  readonly held: Nano
  readonly cost: Nano
  /** Of all its prompts together. */
  readonly promptTokens: number
  /** So many were held for. */
  readonly reckonedPromptTokens: number
  /** All of its output was seen growing. */
  readonly seen: boolean
}

/** The one cause that an operator acts on: the first that applies. */
export function writeoffCause({
  held,
  cost,
  promptTokens,
  reckonedPromptTokens,
  seen,
}: Overrun): WriteoffCause {
  if (cost <= held) return 'hold_gone'
  if (promptTokens > reckonedPromptTokens) return 'prompt'
  return seen ? 'seen_output' : 'unseen_output'
}
