import type { ChatRequest } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { dropMessageFields } from '../droppedMessageFields.ts'
import { toolsFor } from '../functionTool.ts'
import { withoutLegacyFunctions } from '../legacyFunctions.ts'
import { answerable } from '../lastTurn.ts'
import { compact, readText } from '../read.ts'
import { refuseForeignExtras, type RequestFields, requestFields } from '../requestFields.ts'
import { describedSchema, type JsonSchemaFormat, narrowFormatFor } from '../responseFormat.ts'
import { dropExtras, maxTokensFor, refuseLogprobs, stopFor, temperatureFor, topPFor } from '../sampling.ts'
import { fitToolCallIds, toolUseId } from '../toolCallIds.ts'
import { type EncodedRequest, type EncodeTarget, UnsupportedField } from '../wire.ts'
import { API_VERSION } from './apiVersion.ts'
import { encodeMessages, endsInUnsignedTurn } from './encodeMessages.ts'
import { isOwnThought } from './reasoning.ts'
import { encodeReasoningEffort } from './reasoningEffort.ts'
import { encodeToolChoice, encodeTools, forcesTool } from './tools.ts'

const TEMPERATURE_MAX = 1
/** Its reference names no limit: more than any caller can send. */
const STOP_SEQUENCES_MAX = 16
const JSON_INSTRUCTION = 'Answer with one valid JSON object and nothing else: no prose, no code fence.'

/** One choice: several are parallel calls of the gateway. */
export function encodeRequest(request: ChatRequest, target: EncodeTarget): EncodedRequest {
  const fields = requestFields(target)
  refuseLogprobs(request)
  refuseForeignExtras(request.extra)
  dropUnknown(request, fields)

  const { facts } = target
  const messages = fitToolCallIds(answerable(withoutLegacyFunctions(request.messages), facts), toolUseId)
  const format = narrowFormatFor(request, target, fields)
  const { system, messages: turns } = encodeMessages(
    format === 'json' ? [...messages, { role: 'system', content: JSON_INSTRUCTION }] : messages,
    facts.systemInPlace === true,
  )
  // The API wants a limit: without one of the caller's it is the model's own.
  const maxTokens = maxTokensFor(request, target) ?? target.maxOutputTokens
  const { tools, choice } = encodeToolFields(request, fields)
  const effort = fields.optional('reasoning_effort', request.reasoningEffort)
  const reasoning =
    effort === undefined
      ? {}
      : encodeReasoningEffort(effort, {
          control: facts.reasoning,
          maxTokens,
          forcesTool: forcesTool(choice),
          unsignedTurn: endsInUnsignedTurn(messages),
        })
  if (reasoning.dropped) fields.drop({ reasoning_effort: effort })
  const thinks = reasoning.thinking !== undefined && reasoning.thinking.type !== 'disabled'

  const body = compact({
    model: target.upstreamModel,
    max_tokens: maxTokens,
    system,
    messages: turns,
    ...encodeSampling(request, target, fields, thinks),
    stop_sequences: fields.essential('stop', stopSequences(request, target)),
    stream: request.stream || undefined,
    tools,
    tool_choice: choice,
    thinking: reasoning.thinking,
    output_config: outputConfig(reasoning.effort, format),
    metadata: metadata(request, fields),
  })
  return {
    path: '/messages',
    headers: { 'anthropic-version': API_VERSION },
    body,
    dropped: fields.dropped,
  }
}

function dropUnknown(request: ChatRequest, fields: RequestFields): void {
  fields.drop({
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    seed: request.seed,
    prompt_cache_key: request.promptCacheKey,
  })
  dropExtras(request, fields, ['safety_identifier'])
  dropMessageFields(request.messages, fields, {
    resultError: true,
    filename: true,
    reasoningDetail: isOwnThought,
  })
}

function encodeToolFields(
  request: ChatRequest,
  fields: RequestFields,
): { tools?: JsonObject[]; choice?: JsonObject } {
  const given = toolsFor(request, fields)
  if (given === undefined) {
    fields.drop({ tool_choice: request.toolChoice, parallel_tool_calls: request.parallelToolCalls })
    return {}
  }
  const parallel = fields.optional('parallel_tool_calls', request.parallelToolCalls)
  const { choice, only } = encodeToolChoice(request.toolChoice, parallel)
  // Models that refuse the field refuse to be forced, not to be asked.
  if (forcesTool(choice)) fields.essential('tool_choice', request.toolChoice)
  return { tools: encodeTools(given, fields, only), ...(choice && { choice }) }
}

/** At most one of the two, as the API asks; neither beside thinking, which fixes them. */
function encodeSampling(
  request: ChatRequest,
  target: EncodeTarget,
  fields: RequestFields,
  thinks: boolean,
): { temperature?: number | undefined; top_p?: number | undefined } {
  const temperature = temperatureFor(request, target, fields, { maximum: TEMPERATURE_MAX })
  const topP = topPFor(request, target, fields)
  if (thinks) {
    fields.drop({ temperature: temperature === 1 ? undefined : temperature, top_p: topP })
    return {}
  }
  // A model that refuses one of them refuses to be sampled otherwise at all.
  const samples = !target.unsupportedFields.includes('temperature')
  if (samples && request.temperature === undefined && topP !== undefined) return { top_p: topP }
  fields.drop({ top_p: topP })
  return { temperature }
}

function stopSequences(request: ChatRequest, target: EncodeTarget): readonly string[] | undefined {
  const stop = stopFor(request, target, STOP_SEQUENCES_MAX)
  const blank = stop?.findIndex((text) => text.trim() === '') ?? -1
  if (blank >= 0)
    throw new UnsupportedField('stop', 'This model takes no stop sequence that is only white space.')
  return stop
}

function outputConfig(
  effort: string | undefined,
  format: 'json' | JsonSchemaFormat | undefined,
): JsonObject | undefined {
  const schema = format === undefined || format === 'json' ? undefined : describedSchema(format)
  if (effort === undefined && schema === undefined) return undefined
  return compact({ effort, format: schema && { type: 'json_schema', schema } })
}

function metadata(request: ChatRequest, fields: RequestFields): JsonObject | undefined {
  const user = fields.optional('user', request.user)
  const safety = fields.optional('safety_identifier', readText(request.extra.safety_identifier))
  // There is one place for both.
  if (user !== undefined) fields.drop({ safety_identifier: safety })
  const id = user ?? safety
  return id === undefined ? undefined : { user_id: id }
}
