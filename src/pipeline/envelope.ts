import type { Envelope } from '../wire/wire.ts'
import type { Answering } from './callScope.ts'

/** What all parts of one answer share. The model is the one that answers: a fallback says so. */
export function envelopeOf({ answer, plan, call }: Answering): Envelope {
  return {
    id: call.id,
    created: Math.floor(call.admitted.startedAt / 1000),
    model: answer.route.model.id,
    includeUsage: plan.request.includeUsage,
  }
}
