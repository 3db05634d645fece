import { estimateTokens } from '../../core/tokenEstimate.ts'
import type { Overrun } from '../../core/writeoff.ts'
import type { HeldCall } from '../call.ts'
import type { Outcome } from './outcome.ts'

/**
 * What a call that cost more than it held is judged by, should part of it be written off: only then is its text counted.
 * Until it is settled this keeps the text in memory, and nothing of the request.
 */
export function overrunOf(
  { admitted }: HeldCall,
  outcome: Outcome,
  cost: Pick<Overrun, 'cost' | 'promptTokens' | 'reckonedPromptTokens'>,
  completionTokens: number,
): () => Overrun {
  return () => ({ ...cost, held: admitted.held, seen: isSeen(outcome, completionTokens) })
}

/** What the provider counts beyond the text of a stream was spent out of sight. */
function isSeen({ answer, cut = false, generatedText }: Outcome, completionTokens: number): boolean {
  if (answer?.body.kind !== 'stream') return false
  // Of an answer that was cut the text is only what the hold covers; all of it was seen. The estimate errs upwards, so visible
  // text is not taken for hidden reasoning.
  return cut || estimateTokens(generatedText()) >= completionTokens
}
