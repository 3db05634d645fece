import type { ChatRequest, Message } from '../../core/chat/request.ts'
import { type Json, isJsonObject } from '../../core/json.ts'
import { refusePrefill } from '../lastTurn.ts'
import { readObject } from '../read.ts'
import { refuseResponseFormat, schemaFor } from '../responseFormat.ts'
import { stopFor, topPFor } from '../sampling.ts'
import { fitToolCallIds, openAiId } from '../toolCallIds.ts'
import { type EncodeTarget, type EncodedRequest, UnsupportedField, type WireQuirks } from '../wire.ts'

/** OpenAI's own, and that of most who speak its interface. */
const STOP_SEQUENCES_MAX = 4

/** Writes a request for a provider. What needs no change is passed on by reference. */
export function encodeRequest(request: ChatRequest, target: EncodeTarget): EncodedRequest {
  const { quirks } = target
  const dropped: string[] = []
  refusePrefill(request.messages, target.facts)
  const body: Record<string, Json | undefined> = {
    model: target.upstreamModel,
    messages: prepareMessages(fitToolCallIds(request.messages, openAiId), quirks, dropped) as unknown as Json,
  }

  function isRefused(name: string): boolean {
    return target.unsupportedFields.includes(name) || quirks.dropFields?.includes(name) === true
  }

  function put(name: string, value: Json | undefined): void {
    if (value === undefined) return
    if (!isRefused(name)) {
      body[name] = value
      return
    }
    if (changesMeaning(name, value, request)) {
      throw new UnsupportedField(name, `This model does not support \`${name}\`.`)
    }
    dropped.push(name)
  }

  putStream()
  put(quirks.maxTokensField ?? 'max_tokens', outputLimit(request, target))
  if (request.n > 1) put('n', request.n)
  putTemperature()
  put('top_p', topPFor(request, target))
  put('frequency_penalty', request.frequencyPenalty)
  put('presence_penalty', request.presencePenalty)
  put('stop', stopFor(request, target, STOP_SEQUENCES_MAX))
  put('seed', request.seed)
  put('user', request.user)
  put('logprobs', request.logprobs)
  put('top_logprobs', request.topLogprobs)
  putTools()
  refuseResponseFormat(request, target)
  put('response_format', request.responseFormat && schemaFor(request.responseFormat, target.facts))
  put('reasoning_effort', request.reasoningEffort)
  put('prompt_cache_key', request.promptCacheKey)
  for (const name in request.extra) if (name !== 'stream_options') put(name, request.extra[name])

  return {
    path: '/chat/completions',
    headers: {},
    body,
    dropped,
  }

  /** Usage is asked for on every stream, whether or not the caller wants to see it: it is what we bill. */
  function putStream(): void {
    if (!request.stream) return
    body.stream = true
    if (quirks.streamOptions === false) return
    const options = request.extra.stream_options
    body.stream_options = { ...readObject(options), include_usage: true }
  }

  /** Tools that must not be called can be left out, and with them what is said of them. */
  function putTools(): void {
    const { tools, toolChoice, parallelToolCalls } = request
    put('tools', tools as Json | undefined)
    const leavesOut = tools !== undefined && isRefused('tools')
    for (const [name, value] of Object.entries({
      tool_choice: toolChoice as Json | undefined,
      parallel_tool_calls: parallelToolCalls,
    })) {
      if (!leavesOut) put(name, value)
      else if (value !== undefined) dropped.push(name)
    }
  }

  function putTemperature(): void {
    const { temperature } = request
    if (temperature !== undefined) put('temperature', withinRange(temperature, quirks))
    else if (quirks.sendDefaultTemperature && !isRefused('temperature')) body.temperature = 1
  }
}

function outputLimit(request: ChatRequest, target: EncodeTarget): number | undefined {
  if (request.maxTokens === undefined) return undefined
  return Math.min(request.maxTokens, target.maxOutputTokens)
}

function withinRange(temperature: number, quirks: WireQuirks): number {
  const most = quirks.maximumTemperature ?? temperature
  return Math.max(Math.min(temperature, most), quirks.minimumTemperature ?? 0)
}

/** Whether leaving a field out would break what the caller was promised, rather than tune it less well. */
function changesMeaning(name: string, value: Json, request: ChatRequest): boolean {
  switch (name) {
    case 'tools':
    case 'functions':
      return request.toolChoice !== 'none'
    case 'tool_choice':
    case 'function_call':
      return value !== 'auto'
    case 'response_format':
      return !isJsonObject(value) || value.type !== 'text'
    case 'logprobs':
      return value === true
    case 'top_logprobs':
      return request.logprobs === true
    case 'modalities':
      return Array.isArray(value) && value.some((modality) => modality !== 'text')
    case 'n':
    case 'stop':
    case 'max_tokens':
    case 'max_completion_tokens':
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
  dropped: string[],
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
      if (!dropped.includes(`messages.${field}`)) dropped.push(`messages.${field}`)
    }
    return copy as Message
  })
}

function isInstruction(message: Message): boolean {
  return message.role === 'system' || message.role === 'developer'
}
