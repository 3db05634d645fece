import type { ChatRequest } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { dropMessageFields } from '../droppedMessageFields.ts'
import { toolChoiceFor, toolsFor } from '../functionTool.ts'
import { withoutLegacyFunctions } from '../legacyFunctions.ts'
import { answerable } from '../lastTurn.ts'
import { compact } from '../read.ts'
import { refuseForeignExtras, type RequestFields, requestFields } from '../requestFields.ts'
import { describedSchema, type JsonSchemaFormat, responseFormatFor } from '../responseFormat.ts'
import { dropExtras, maxTokensFor, seedFor, stopFor, temperatureFor, topPFor } from '../sampling.ts'
import { anyId, fitToolCallIds } from '../toolCallIds.ts'
import { type EncodedRequest, type EncodeTarget } from '../wire.ts'
import { isPartSignature } from './toolCalls.ts'
import { encodeMessages } from './encodeMessages.ts'
import { requestPath } from './path.ts'
import { encodeReasoningEffort } from './reasoningEffort.ts'
import { encodeToolChoice, encodeTools } from './tools.ts'

const TEMPERATURE_MAX = 2
const STOP_SEQUENCES_MAX = 5
/** `GenerationConfig.seed` is an `integer (int32 format)`. */
const SEEDS = { least: -(2n ** 31n), most: 2n ** 31n - 1n }

export function encodeRequest(request: ChatRequest, target: EncodeTarget): EncodedRequest {
  const fields = requestFields(target)
  refuseForeignExtras(request.extra)
  dropExtras(request, fields)
  fields.drop({ user: request.user, prompt_cache_key: request.promptCacheKey })
  dropMessageFields(request.messages, fields, {
    resultError: true,
    generatedImages: true,
    reasoningDetail: isPartSignature,
  })

  const { upstreamModel, facts } = target
  const { systemInstruction, contents } = encodeMessages(
    fitToolCallIds(answerable(withoutLegacyFunctions(request.messages), facts), anyId),
    facts.requiresSignedCalls === true,
  )
  const body = compact({
    systemInstruction,
    contents,
    ...encodeToolFields(request, fields),
    generationConfig: generationConfig(request, target, fields),
  })
  return {
    path: requestPath(upstreamModel, request.stream),
    headers: {},
    body,
    dropped: fields.dropped,
  }
}

function generationConfig(
  request: ChatRequest,
  target: EncodeTarget,
  fields: RequestFields,
): JsonObject | undefined {
  const logprobs = fields.essential('logprobs', request.logprobs || undefined)
  const config = compact({
    temperature: temperatureFor(request, target, fields, { maximum: TEMPERATURE_MAX }),
    topP: topPFor(request, target, fields),
    maxOutputTokens: fields.essential('max_tokens', maxTokensFor(request, target)),
    stopSequences: fields.essential('stop', stopFor(request, target, STOP_SEQUENCES_MAX)),
    candidateCount: request.n > 1 ? request.n : undefined,
    presencePenalty: fields.optional('presence_penalty', request.presencePenalty),
    frequencyPenalty: fields.optional('frequency_penalty', request.frequencyPenalty),
    seed: seedFor(request, fields, SEEDS),
    responseLogprobs: logprobs,
    logprobs: logprobs ? fields.essential('top_logprobs', request.topLogprobs) : undefined,
    ...responseFormat(responseFormatFor(request, target, fields)),
    thinkingConfig: thinkingConfig(request, target, fields),
  })
  return Object.keys(config).length === 0 ? undefined : config
}

function responseFormat(format: 'json' | JsonSchemaFormat | undefined): JsonObject {
  if (format === undefined) return {}
  return compact({
    responseMimeType: 'application/json',
    responseJsonSchema: format === 'json' ? undefined : describedSchema(format),
  })
}

function thinkingConfig(
  request: ChatRequest,
  target: EncodeTarget,
  fields: RequestFields,
): JsonObject | undefined {
  const effort = fields.optional('reasoning_effort', request.reasoningEffort)
  if (effort === undefined) return undefined
  const config = encodeReasoningEffort(effort, target.facts.reasoning)
  if (!config) fields.drop({ reasoning_effort: effort })
  return config
}

function encodeToolFields(request: ChatRequest, fields: RequestFields): JsonObject {
  const tools = toolsFor(request, fields)
  const choice = toolChoiceFor(request, tools, fields)
  // A single call at a time cannot be asked for.
  if (request.parallelToolCalls === false) fields.drop({ parallel_tool_calls: false })
  if (tools === undefined) return {}
  // No tool is strict here.
  if (tools.some((tool) => tool.function?.strict === true)) fields.drop({ 'tools.function.strict': true })
  const { config, only } = encodeToolChoice(choice)
  return { tools: encodeTools(tools, only), ...(config && { toolConfig: { functionCallingConfig: config } }) }
}
