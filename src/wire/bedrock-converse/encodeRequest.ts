import type { ChatRequest } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { dropMessageFields } from '../droppedMessageFields.ts'
import { withoutLegacyFunctions } from '../legacyFunctions.ts'
import { answerable } from '../lastTurn.ts'
import { compact } from '../read.ts'
import { isOwnThought } from './reasoning.ts'
import { refuseForeignExtras, requestFields, type RequestFields } from '../requestFields.ts'
import { type JsonSchemaFormat, narrowFormatFor } from '../responseFormat.ts'
import { dropExtras, maxTokensFor, refuseLogprobs, stopFor, temperatureFor, topPFor } from '../sampling.ts'
import { fitToolCallIds, toolUseId } from '../toolCallIds.ts'
import { type EncodedRequest, type EncodeTarget } from '../wire.ts'
import { encodeMessages } from './encodeMessages.ts'
import { requestPath } from './path.ts'
import { encodeToolConfig } from './tools.ts'

const TEMPERATURE_MAX = 1
/** `InferenceConfiguration.stopSequences`. */
const STOP_SEQUENCES_MAX = 2_500
const JSON_INSTRUCTION = 'Answer with one JSON object and nothing else.'
const SERVICE_TIERS = ['default', 'flex', 'priority', 'reserved']

/** Source: AWS, "Converse" and "ConverseStream" of the Amazon Bedrock Runtime API. Model and stream are in the path. */
export function encodeRequest(request: ChatRequest, target: EncodeTarget): EncodedRequest {
  const fields = requestFields(target)
  refuseForeignExtras(request.extra)
  refuseLogprobs(request)
  const messages = fitToolCallIds(
    answerable(withoutLegacyFunctions(request.messages), target.facts),
    toolUseId,
  )
  const { system, turns } = encodeMessages(messages)
  const format = narrowFormatFor(request, target, fields)
  if (format === 'json') system.push({ text: JSON_INSTRUCTION })
  const body = compact({
    messages: turns,
    system: system.length === 0 ? undefined : system,
    inferenceConfig: encodeInferenceConfig(request, target, fields),
    toolConfig: encodeToolConfig(request, messages, fields),
    outputConfig: encodeOutputConfig(request, format, fields),
    serviceTier: encodeServiceTier(request, fields),
  })
  fields.drop({
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    seed: request.seed,
    user: request.user,
    parallel_tool_calls: request.parallelToolCalls,
    prompt_cache_key: request.promptCacheKey,
  })
  dropMessageFields(request.messages, fields, {
    resultError: true,
    filename: true,
    reasoningDetail: isOwnThought,
  })
  dropExtras(request, fields, ['service_tier'])
  return {
    path: requestPath(target.upstreamModel, request.stream),
    headers: { accept: request.stream ? 'application/vnd.amazon.eventstream' : 'application/json' },
    body,
    dropped: fields.dropped,
  }
}

function encodeInferenceConfig(
  request: ChatRequest,
  target: EncodeTarget,
  fields: RequestFields,
): JsonObject | undefined {
  const config = compact({
    maxTokens: encodeMaxTokens(request, target, fields),
    temperature: temperatureFor(request, target, fields, { maximum: TEMPERATURE_MAX }),
    topP: encodeTopP(request, target, fields),
    stopSequences: fields.essential('stop', stopFor(request, target, STOP_SEQUENCES_MAX)),
  })
  return Object.keys(config).length === 0 ? undefined : config
}

/** Left out it would be the model's own default, often a few hundred; a caller that names no limit wants none. */
function encodeMaxTokens(
  request: ChatRequest,
  target: EncodeTarget,
  fields: RequestFields,
): number | undefined {
  const asked = fields.essential('max_tokens', maxTokensFor(request, target))
  const refused = target.unsupportedFields.includes('max_tokens')
  return asked ?? (refused ? undefined : target.maxOutputTokens)
}

/** A whole nucleus says nothing, and some models refuse it beside a temperature. */
function encodeTopP(request: ChatRequest, target: EncodeTarget, fields: RequestFields): number | undefined {
  return request.topP === 1 && request.temperature !== undefined
    ? undefined
    : topPFor(request, target, fields)
}

function encodeOutputConfig(
  request: ChatRequest,
  format: 'json' | JsonSchemaFormat | undefined,
  fields: RequestFields,
): JsonObject | undefined {
  const effort = encodeEffort(fields.optional('reasoning_effort', request.reasoningEffort))
  const textFormat = format === undefined || format === 'json' ? undefined : encodeTextFormat(format)
  return effort === undefined && textFormat === undefined ? undefined : compact({ textFormat, effort })
}

/** Without an effort no model here reasons, so `none` needs no word. */
function encodeEffort(effort: string | undefined): string | undefined {
  if (effort === 'none') return undefined
  return effort === 'minimal' ? 'low' : effort
}

function encodeTextFormat({ name, description, schema }: JsonSchemaFormat): JsonObject {
  return {
    type: 'json_schema',
    structure: { jsonSchema: compact({ schema: JSON.stringify(schema), name, description }) },
  }
}

function encodeServiceTier(request: ChatRequest, fields: RequestFields): JsonObject | undefined {
  const tier = fields.optional('service_tier', request.extra.service_tier)
  if (typeof tier === 'string' && SERVICE_TIERS.includes(tier)) return { type: tier }
  return fields.drop({ service_tier: tier })
}
