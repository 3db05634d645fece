import { GatewayError } from '../../core/error.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import type { Usage } from '../../core/usage.ts'
import type { HeldCall, ReplyContext } from '../call.ts'
import type { Reply } from '../reply.ts'
import { notBooked } from '../settle/notBooked.ts'
import type { Outcome } from '../settle/outcome.ts'

const JSON_BODY = 'application/json'

/** What becomes of an answer that is settled, before its caller has the end of it. */
export interface AnswerKeeper {
  /**
   * Does not throw.
   * @param text the answer as its caller gets it: whole, or the last bytes of its stream
   */
  readonly keep?: (context: ReplyContext, text: string) => Promise<void>
}

/**
 * Settles a call with what its answer costs, and gives the answer as one body. Throws `GatewayError` where the charge cannot
 * be recorded: then nothing is sent.
 *
 * @param write makes the body, JSON, with the usage that is charged
 */
export async function settleWhole(
  call: HeldCall,
  outcome: Outcome,
  write: (usage: Usage) => string,
): Promise<Extract<Reply, { kind: 'whole' }>> {
  const priced = await call.price(outcome)
  const body = write(priced.usage)
  try {
    await call.settle(priced, call.claim.keep(JSON_BODY, body))
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    throw new GatewayError(notBooked(error, 'whole'), { cause: error })
  }
  return { kind: 'whole', contentType: JSON_BODY, body }
}
