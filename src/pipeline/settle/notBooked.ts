import { type Refusal, refuse } from '../../core/error.ts'
import { OutcomeUnknown, type StoreUnavailable } from '../../core/ports/till.ts'

const RETRY_AFTER_SECONDS = 1

/**
 * What a caller hears whose answer could not be settled. It costs nothing where the store is known not to have charged
 * it; where that is not known, nothing is said about it: a charge is refunded later, if this process lives to do it.
 */
export function notBooked(error: StoreUnavailable, answer: 'whole' | 'stream'): Refusal {
  const begins = answer === 'whole' ? 'The' : 'The gateway had a server error: the'
  const unsent = answer === 'whole' ? 'was not sent' : 'was ended'
  const message =
    error instanceof OutcomeUnknown
      ? `${begins} database did not confirm the charge for this response, so the response ${unsent}. It is not yet known whether you were charged; the receipt will say.`
      : `${begins} charge for this response could not be recorded, so the response ${unsent}. You were not charged.`
  return refuse('service_unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
