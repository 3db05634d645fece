import type { AssistantMessage, WholeAnswer } from '../../../../src/core/answer/wholeAnswer.ts'
import { type JsonObject, parseJson } from '../../../../src/core/json.ts'
import { compact } from '../../../../src/wire/read.ts'
import { encodeCitation } from './citations.ts'
import { encodeFinishReason } from './finishReason.ts'
import { encodeReasoning } from './reasoning.ts'
import { encodeUsage } from './usage.ts'

/** Writes a `ConverseResponse`, which holds one choice: the first. */
export function encodeResponse(response: WholeAnswer): JsonObject {
  const choice = response.choices[0]
  const tier = response.extra['service_tier']
  return compact({
    output: { message: { role: 'assistant', content: choice ? encodeContent(choice.message) : [] } },
    stopReason: encodeFinishReason(choice?.finishReason ?? 'stop'),
    usage: response.usage === undefined ? undefined : encodeUsage(response.usage),
    metrics: { latencyMs: 0 },
    serviceTier: typeof tier === 'string' ? { type: tier } : undefined,
  })
}

function encodeContent(message: AssistantMessage): JsonObject[] {
  // A refusal has no place of its own.
  const text = message.content || (message.refusal ?? '')
  return [
    ...encodeReasoning(message),
    ...encodeText(text, message.annotations ?? []),
    ...(message.tool_calls ?? []).map((call) => ({
      toolUse: {
        toolUseId: call.id,
        name: call.function.name,
        input: parseJson(call.function.arguments) ?? {},
      },
    })),
  ]
}

/** One block of text, with the citations that have an address. */
function encodeText(text: string, annotations: readonly JsonObject[]): JsonObject[] {
  if (text === '') return []
  const citations = annotations.flatMap(encodeCitation)
  return citations.length === 0 ? [{ text }] : [{ citationsContent: { content: [{ text }], citations } }]
}
