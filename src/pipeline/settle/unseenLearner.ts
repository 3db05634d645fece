import { addNano } from '../../core/money.ts'
import { outputTokensWithin } from '../../core/price.ts'
import type { SettlementResult } from '../../core/ports/till.ts'
import { writeoffParts } from '../../core/writeoff.ts'
import type { PipelineDeps } from '../deps.ts'
import type { Answer } from '../dispatch/answer.ts'
import type { PricedOutcome } from './outcome.ts'
import type { Plan } from '../plan/plan.ts'

/** A route is remembered when so many tokens of one answer were written off: less is what small holds cost. */
export const LOST_TOKENS_MIN = 1_024

interface Answered {
  readonly answer: Pick<Answer, 'body' | 'route'>
  readonly plan: Pick<Plan, 'request'>
  readonly deps: Pick<PipelineDeps, 'unseenOutput'>
}

/** Remembers the route of an answer of which far more came at once than its hold covered, and was not paid. */
export function unseenLearner({ answer: { body, route }, plan, deps }: Answered): () => void {
  // A target that was asked for a whole answer gave what it was asked for.
  const streamed = body.kind === 'stream'
  return () => {
    if (streamed) deps.unseenOutput.learn(plan.request, route)
  }
}

/** The same of an answer that is settled, by what was written off: so reasoning is noticed that shows in no event. */
export function learnFromWriteoff(
  answered: Answered,
  { overrun }: Pick<PricedOutcome, 'overrun'>,
  { writeoff }: Pick<SettlementResult, 'writeoff'>,
): void {
  if (writeoff === 0n || !overrun) return
  const known = overrun()
  const { seen_output: seen, unseen_output: unseen } = writeoffParts(writeoff, known)
  const tokens = outputTokensWithin(addNano(seen, unseen), known.price, { promptTokens: 0, prompts: 0 })
  if (tokens > LOST_TOKENS_MIN) unseenLearner(answered)()
}
