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
  bill: Pick<Overrun, 'bill' | 'price' | 'reckonedPrompt'>,
): () => Overrun {
  return () => ({ ...bill, held: admitted.held, seenTokens: seenTokensOf(outcome) })
}

/** What the provider counts beyond the text of a stream was spent out of sight. */
function seenTokensOf({ answer, cut = false, generatedText }: Outcome): number {
  if (answer?.body.kind !== 'stream') return 0
  // The text is only what the hold covers; all of it was seen.
  if (cut) return Number.POSITIVE_INFINITY
  // The estimate errs upwards, so visible text is not taken for hidden reasoning.
  return estimateTokens(generatedText())
}
