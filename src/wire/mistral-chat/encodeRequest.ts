import type { ChatRequest } from '../../core/chat/request.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { dropMessageFields } from '../droppedMessageFields.ts'
import { compact, readObject, readText } from '../read.ts'
import { isOwnThought } from './content.ts'
import { refuseForeignExtras, requestFields, type RequestFields } from '../requestFields.ts'
import { type JsonSchemaFormat, responseFormatFor } from '../responseFormat.ts'
import {
  dropExtras,
  maxTokensFor,
  seedFor,
  refuseLogprobs,
  stopFor,
  temperatureFor,
  topPFor,
} from '../sampling.ts'
import { type EncodedRequest, type EncodeTarget } from '../wire.ts'
import { encodeMessages } from './encodeMessages.ts'
import { encodeToolFields } from './tools.ts'

const TEMPERATURE_MAX = 1
/** It refuses 0 (`greater_than`); so little leaves the likeliest token alone. */
const TOP_P_MIN = 1e-6
/** Its description names no limit: more than any caller can send. */
const STOP_SEQUENCES_MAX = 16
/** Its description says `minimum: 0`, and no maximum. */
const SEEDS = { least: 0n, most: 2n ** 64n - 1n }
const TAKEN_EXTRAS = ['prediction', 'service_tier', 'prompt_cache_key']

/**
 * The body is built from an allow-list, because Mistral answers 422 to any field it does not know,
 * wherever it is. Source: its OpenAPI description, `ChatCompletionRequest`.
 */
export function encodeRequest(request: ChatRequest, target: EncodeTarget): EncodedRequest {
  const fields = requestFields(target)
  refuseForeignExtras(request.extra)
  refuseLogprobs(request)
  const temperature = temperatureFor(request, target, fields, { maximum: TEMPERATURE_MAX })
  const body = compact({
    model: target.upstreamModel,
    messages: encodeMessages(request.messages, target.facts),
    stream: request.stream,
    n: request.n > 1 ? request.n : undefined,
    max_tokens: fields.essential('max_tokens', maxTokensFor(request, target)),
    temperature,
    top_p: encodeTopP(request, target, temperature, fields),
    frequency_penalty: fields.optional('frequency_penalty', request.frequencyPenalty),
    presence_penalty: fields.optional('presence_penalty', request.presencePenalty),
    stop: fields.essential('stop', stopFor(request, target, STOP_SEQUENCES_MAX)),
    random_seed: seedFor(request, fields, SEEDS),
    ...encodeToolFields(request, fields),
    response_format: encodeResponseFormat(responseFormatFor(request, target, fields)),
    reasoning_effort: encodeEffort(fields.optional('reasoning_effort', request.reasoningEffort)),
    prompt_cache_key: fields.optional('prompt_cache_key', request.promptCacheKey),
    prediction: encodePrediction(request, fields),
    service_tier: encodeServiceTier(request, fields),
  })
  fields.drop({ user: request.user })
  dropMessageFields(request.messages, fields, {
    imageDetail: true,
    reasoningDetail: isOwnThought,
    reasoningText: true,
  })
  dropExtras(request, fields, TAKEN_EXTRAS)
  return {
    path: '/chat/completions',
    headers: {},
    body,
    dropped: fields.dropped,
  }
}

/** Greedy sampling leaves no nucleus: Mistral refuses a `top_p` beside temperature 0. */
function encodeTopP(
  request: ChatRequest,
  target: EncodeTarget,
  temperature: number | undefined,
  fields: RequestFields,
): number | undefined {
  if (temperature !== 0) return topPFor(request, target, fields, TOP_P_MIN)
  return fields.drop({ top_p: request.topP })
}

function encodeResponseFormat(format: 'json' | JsonSchemaFormat | undefined): JsonObject | undefined {
  if (format === undefined) return undefined
  if (format === 'json') return { type: 'json_object' }
  return { type: 'json_schema', json_schema: compact({ ...format }) }
}

function encodeEffort(effort: string | undefined): string | undefined {
  return effort === 'max' ? 'xhigh' : effort
}

/** Mistral takes the expected text as one string. */
function encodePrediction(request: ChatRequest, fields: RequestFields): JsonObject | undefined {
  const prediction = fields.optional('prediction', request.extra.prediction)
  if (isJsonObject(prediction)) {
    const { content } = prediction
    const texts =
      typeof content === 'string' ? [content] : Array.isArray(content) ? content.map(chunkText) : []
    if (texts.length > 0) return { type: 'content', content: texts.join('') }
  }
  return fields.drop({ prediction })
}

function chunkText(part: Json): string {
  return readText(readObject(part)?.text) ?? ''
}

function encodeServiceTier(request: ChatRequest, fields: RequestFields): string | undefined {
  const tier = fields.optional('service_tier', request.extra.service_tier)
  if (tier === 'auto') return 'auto'
  if (tier === 'default' || tier === 'standard_only') return 'standard_only'
  return fields.drop({ service_tier: tier })
}
