import type { Envelope } from '../../wire/wire.ts'
import type { ReplyContext } from '../call.ts'

/** What all parts of one answer share. The model is the one that answers: a fallback says so. */
export function envelopeOf({ answer, call }: ReplyContext): Envelope {
  const { request, memory } = call.plan
  const requestBody = memory?.asked ?? request.source?.body
  return {
    id: call.id,
    created: Math.floor(call.admitted.startedAt / 1000),
    model: answer.route.model.id,
    includeUsage: request.includeUsage,
    ...(requestBody && { requestBody }),
    ...(memory?.keeps && { kept: true }),
  }
}
