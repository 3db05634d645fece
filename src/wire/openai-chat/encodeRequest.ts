import type { ChatRequest, Message, ResponseFormat } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { refuseVendorTools } from '../functionTool.ts'
import { refusePrefill } from '../lastTurn.ts'
import { compact, readObject } from '../read.ts'
import { type RequestFields, requestFields } from '../requestFields.ts'
import { refuseResponseFormat, schemaFor } from '../responseFormat.ts'
import { maxTokensFor, stopFor, temperatureFor, topPFor } from '../sampling.ts'
import { fitToolCallIds, openAiId } from '../toolCallIds.ts'
import type { EncodeTarget, EncodedRequest, WireQuirks } from '../wire.ts'

const TEMPERATURE_MAX = 2
/** OpenAI's own, and that of most who speak its interface. */
const STOP_SEQUENCES_MAX = 4

/** Writes a request for a provider. What needs no change is passed on by reference. */
export function encodeRequest(request: ChatRequest, target: EncodeTarget): EncodedRequest {
  const { quirks, facts } = target
  const fields = requestFields(target)
  refusePrefill(request.messages, facts)
  const messages = prepareMessages(fitToolCallIds(request.messages, openAiId), quirks, fields)
  const { tools, toolChoice, parallelToolCalls } = request
  refuseVendorTools(tools)
  // Tools that must not be called can be left out, and with them what is said of them.
  const leavesOut = tools !== undefined && fields.refuses('tools')
  const limitField = quirks.maxTokensField ?? 'max_tokens'
  const body = compact({
    model: target.upstreamModel,
    messages: messages as unknown as Json,
    stream: request.stream || undefined,
    stream_options: streamOptions(request, quirks),
    [limitField]: fields.essential(limitField, maxTokensFor(request, target)),
    n: fields.essential('n', request.n > 1 ? request.n : undefined),
    temperature: temperatureFor(request, target, fields, { maximum: TEMPERATURE_MAX }),
    top_p: topPFor(request, target, fields),
    frequency_penalty: fields.optional('frequency_penalty', request.frequencyPenalty),
    presence_penalty: fields.optional('presence_penalty', request.presencePenalty),
    stop: fields.essential('stop', stopFor(request, target, STOP_SEQUENCES_MAX)),
    seed: fields.optional('seed', request.seed),
    user: fields.optional('user', request.user),
    logprobs: fields.essential('logprobs', request.logprobs, request.logprobs === true),
    top_logprobs: fields.essential('top_logprobs', request.topLogprobs, request.logprobs === true),
    tools: fields.essential('tools', tools as Json | undefined, toolChoice !== 'none'),
    tool_choice: leavesOut
      ? fields.drop({ tool_choice: toolChoice })
      : fields.essential('tool_choice', toolChoice as Json | undefined, toolChoice !== 'auto'),
    parallel_tool_calls: leavesOut
      ? fields.drop({ parallel_tool_calls: parallelToolCalls })
      : fields.optional('parallel_tool_calls', parallelToolCalls),
    response_format: encodeResponseFormat(request, target, fields),
    reasoning_effort: fields.optional('reasoning_effort', request.reasoningEffort),
    prompt_cache_key: fields.optional('prompt_cache_key', request.promptCacheKey),
    ...encodeExtras(request, fields),
  })
  return {
    path: '/chat/completions',
    headers: {},
    body,
    dropped: fields.dropped,
  }
}

/** Usage is asked for on every stream, whether or not the caller wants to see it: it is what we bill. */
function streamOptions({ stream, extra }: ChatRequest, quirks: WireQuirks): JsonObject | undefined {
  if (!stream || quirks.streamOptions === false) return undefined
  return { ...readObject(extra.stream_options), include_usage: true }
}

function encodeResponseFormat(
  request: ChatRequest,
  target: EncodeTarget,
  fields: RequestFields,
): ResponseFormat | undefined {
  refuseResponseFormat(request, target)
  const { responseFormat: format } = request
  return (
    format && fields.essential('response_format', schemaFor(format, target.facts), format.type !== 'text')
  )
}

function encodeExtras(request: ChatRequest, fields: RequestFields): Record<string, Json | undefined> {
  const extras: Record<string, Json | undefined> = {}
  for (const name in request.extra) {
    const value = request.extra[name]
    if (name !== 'stream_options') extras[name] = fields.essential(name, value, decides(name, value, request))
  }
  return extras
}

/** Whether leaving an extra field out would break what the caller was promised, rather than tune it less well. */
function decides(name: string, value: Json | undefined, { toolChoice }: ChatRequest): boolean {
  switch (name) {
    case 'functions':
      return toolChoice !== 'none'
    case 'function_call':
      return value !== 'auto'
    case 'modalities':
      return Array.isArray(value) && value.some((modality) => modality !== 'text')
    case 'audio':
    case 'web_search_options':
      return true
    default:
      return false
  }
}

function prepareMessages(
  messages: readonly Message[],
  quirks: WireQuirks,
  fields: RequestFields,
): readonly Message[] {
  const { instructionRole, dropMessageFields = [] } = quirks
  if (!instructionRole && dropMessageFields.length === 0) return messages
  return messages.map((message) => {
    const role = instructionRole && isInstruction(message) ? instructionRole : message.role
    const refused = dropMessageFields.filter((field) => field in message)
    if (role === message.role && refused.length === 0) return message
    const copy: Record<string, unknown> = { ...message, role }
    for (const field of refused) {
      delete copy[field]
      fields.drop({ [`messages.${field}`]: true })
    }
    return copy as Message
  })
}

function isInstruction(message: Message): boolean {
  return message.role === 'system' || message.role === 'developer'
}
