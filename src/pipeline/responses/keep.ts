import { parseExactly } from '../../core/exactNumber.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { RequestId } from '../../core/id.ts'
import { inputOf, lastResponseIn, placesOf } from '../../wire/openai-responses/references.ts'
import { readText } from '../../wire/read.ts'
import type { ReplyContext } from '../call.ts'
import { keepTimeOf } from './recall.ts'

/**
 * Keeps an answer with what its request brought, so that later requests can refer to both. Does not throw: an answer that
 * cannot be kept is given all the same.
 *
 * @param text the answer as its caller gets it: whole, or the last bytes of its stream
 */
export async function keep({ call, answer }: ReplyContext, text: string): Promise<void> {
  const { memory } = call.plan
  if (!memory?.keeps) return
  const { deps, caller, admitted } = call
  try {
    const response = call.plan.request.stream ? lastResponseIn(text) : (parseExactly(text) as Json)
    if (!isJsonObject(response)) return
    const input = inputOf(memory.input)
    await deps.store.keptResponses.keep({
      id: call.id,
      workspaceId: caller.workspace.id,
      previousId: (readText(memory.asked.previous_response_id) as RequestId | undefined) ?? null,
      createdAt: admitted.startedAt,
      expiresAt: deps.now() + keepTimeOf(call),
      input: JSON.stringify(input),
      response: JSON.stringify(response),
      items: placesOf(input, outputOf(response)),
      madeBy: {
        provider: answer.route.provider.name,
        upstreamModel: answer.route.target.upstreamModel,
        credential: answer.credential ?? '',
      },
    })
  } catch (cause) {
    deps.events.gatewayFailed({ id: call.id, at: 'memory', cause })
  }
}

function outputOf({ output }: JsonObject): readonly Json[] {
  return Array.isArray(output) ? (output as readonly Json[]) : []
}
