import type { Envelope } from '../../wire/wire.ts'
import type { ReplyContext } from '../call.ts'

/** What all parts of one answer share. The model is the one that answers: a fallback says so. */
export function envelopeOf({ answer, call }: ReplyContext): Envelope {
  const { source } = call.plan.request
  return {
    id: call.id,
    created: Math.floor(call.admitted.startedAt / 1000),
    model: answer.route.model.id,
    includeUsage: call.plan.request.includeUsage,
    ...(source && { requestBody: source.body }),
  }
}
