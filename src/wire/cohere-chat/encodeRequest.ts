import type { ChatRequest } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { dropMessageFields } from '../droppedMessageFields.ts'
import { toolChoiceFor, toolsFor } from '../functionTool.ts'
import { withoutLegacyFunctions } from '../legacyFunctions.ts'
import { answerable } from '../lastTurn.ts'
import { compact } from '../read.ts'
import { refuseForeignExtras, requestFields, type RequestFields } from '../requestFields.ts'
import { describedSchema, type JsonSchemaFormat, responseFormatFor } from '../responseFormat.ts'
import { dropExtras, maxTokensFor, seedFor, stopFor, temperatureFor, topPFor } from '../sampling.ts'
import { anyId, fitToolCallIds } from '../toolCallIds.ts'
import { type EncodedRequest, type EncodeTarget, UnsupportedField } from '../wire.ts'
import { encodeMessages } from './encodeMessages.ts'
import { encodeToolChoice, encodeTools } from './tools.ts'

const TEMPERATURE_MAX = 1
const P_MIN = 0.01
const P_MAX = 0.99
const STOP_SEQUENCES_MAX = 5
/** `integer <uint64>`. */
const SEEDS = { least: 0n, most: 2n ** 64n - 1n }

/** Source: Cohere, "Chat" of the v2 API reference. Cohere's own default temperature is 0.3, so 1 is sent. */
export function encodeRequest(request: ChatRequest, target: EncodeTarget): EncodedRequest {
  const fields = requestFields(target)
  refuseForeignExtras(request.extra)
  if ((request.topLogprobs ?? 0) > 0) {
    throw new UnsupportedField('top_logprobs', 'This model does not report alternatives of a token.')
  }
  const tools = toolsFor(request, fields)
  // No model of Cohere's takes a format and tools (cohere-openapi.yaml, `ResponseFormatV2`). All take instructions at the end:
  // https://github.com/SillyTavern/SillyTavern/issues/3692.
  const facts = { ...target.facts, formatOrTools: true, systemInPlace: true } as const
  const format = responseFormatFor(request, { ...target, facts }, fields)
  const body = compact({
    model: target.upstreamModel,
    messages: encodeMessages(
      fitToolCallIds(answerable(withoutLegacyFunctions(request.messages), facts), anyId),
    ),
    stream: request.stream,
    max_tokens: fields.essential('max_tokens', maxTokensFor(request, target)),
    temperature: temperatureFor(request, target, fields, { maximum: TEMPERATURE_MAX, sendDefault: true }),
    p: encodeP(topPFor(request, target, fields, P_MIN)),
    ...encodePenalties(request, fields),
    stop_sequences: fields.essential('stop', stopFor(request, target, STOP_SEQUENCES_MAX)),
    seed: seedFor(request, fields, SEEDS),
    logprobs: fields.essential('logprobs', request.logprobs, request.logprobs === true),
    tools: tools && encodeTools(tools),
    strict_tools: tools?.some((tool) => tool.function?.strict === true) ? true : undefined,
    tool_choice: encodeToolChoice(toolChoiceFor(request, tools, fields)),
    response_format: encodeResponseFormat(format),
    thinking: encodeThinking(fields.optional('reasoning_effort', request.reasoningEffort)),
  })
  fields.drop({
    user: request.user,
    parallel_tool_calls: request.parallelToolCalls,
    prompt_cache_key: request.promptCacheKey,
  })
  dropMessageFields(request.messages, fields, {
    imageDetail: true,
    reasoningDetail: () => false,
    reasoningText: true,
  })
  dropExtras(request, fields)
  return {
    path: '/chat',
    headers: {},
    body,
    dropped: fields.dropped,
  }
}

/** Its range is 0.01 to 0.99; left out, 1 would become Cohere's default of 0.75. */
function encodeP(topP: number | undefined): number | undefined {
  return topP === undefined ? undefined : Math.min(topP, P_MAX)
}

/** Penalties are 0 to 1, and only one of the two at a time. */
function encodePenalties(request: ChatRequest, fields: RequestFields): JsonObject {
  const frequency = fields.optional('frequency_penalty', request.frequencyPenalty) ?? 0
  const presence = fields.optional('presence_penalty', request.presencePenalty) ?? 0
  if (frequency < 0) fields.drop({ frequency_penalty: frequency })
  if (presence < 0 || (presence > 0 && frequency > 0)) fields.drop({ presence_penalty: presence })
  if (frequency > 0) return { frequency_penalty: Math.min(frequency, 1) }
  return presence > 0 ? { presence_penalty: Math.min(presence, 1) } : {}
}

function encodeResponseFormat(format: 'json' | JsonSchemaFormat | undefined): JsonObject | undefined {
  if (format === undefined) return undefined
  if (format === 'json') return { type: 'json_object' }
  return { type: 'json_object', json_schema: describedSchema(format) }
}

/** Cohere knows thinking on or off. */
function encodeThinking(effort: string | undefined): JsonObject | undefined {
  if (effort === undefined) return undefined
  return { type: effort === 'none' ? 'disabled' : 'enabled' }
}
