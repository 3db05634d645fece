import type { ChatRequest, ResponseFormat } from '../../../../src/core/chat/request.ts'
import type { Json, JsonObject } from '../../../../src/core/json.ts'
import { CHOICES_MAX } from '../../../../src/wire/askedChoices.ts'
import { unnamedSchemaFormat } from '../../../../src/wire/responseFormat.ts'
import { readObject, readText } from '../../../../src/wire/read.ts'
import {
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalObject,
  optionalStop,
  present,
  readRequest,
  requireObjects,
  requireString,
  requireTurns,
} from '../../../../src/wire/requestReader.ts'
import type { DecodedRequest } from '../../../../src/wire/wire.ts'
import { decodeReasoningEffort } from './reasoningEffort.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'
import { decodeMessages, decodeSystem } from './decodeMessages.ts'

const TOP_LOGPROBS_MAX = 20
const CONFIG = 'generationConfig'

/** The body with `model` and `stream` added by the server, which finds them in the path (`readRequestPath`). */
export function decodeRequest(body: Json): DecodedRequest {
  return readRequest(body, decodeBody)
}

function decodeBody(body: JsonObject): ChatRequest {
  const model = requireString(body.model, 'model')
  const stream = optionalBoolean(body.stream, 'stream') ?? false
  const contents = requireTurns(body.contents, 'contents')
  const messages = [...decodeSystem(body.systemInstruction), ...decodeMessages(contents)]
  const config = optionalObject(body.generationConfig, CONFIG) ?? {}
  return {
    model,
    messages,
    n: optionalInteger(config.candidateCount, `${CONFIG}.candidateCount`, 1, CHOICES_MAX) ?? 1,
    stream,
    // Every stream of this format ends with the usage.
    includeUsage: stream,
    ...sampling(config),
    ...toolFields(body),
    extra: {},
  }
}

function sampling(config: JsonObject): Partial<ChatRequest> {
  return present({
    maxTokens: optionalInteger(config.maxOutputTokens, `${CONFIG}.maxOutputTokens`, 1),
    temperature: optionalNumber(config.temperature, `${CONFIG}.temperature`, 0, 2),
    topP: optionalNumber(config.topP, `${CONFIG}.topP`, 0, 1),
    frequencyPenalty: optionalNumber(config.frequencyPenalty, `${CONFIG}.frequencyPenalty`, -2, 2),
    presencePenalty: optionalNumber(config.presencePenalty, `${CONFIG}.presencePenalty`, -2, 2),
    stop: optionalStop(config.stopSequences, `${CONFIG}.stopSequences`),
    seed: optionalNumber(config.seed, `${CONFIG}.seed`, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    logprobs: optionalBoolean(config.responseLogprobs, `${CONFIG}.responseLogprobs`) || undefined,
    topLogprobs: optionalInteger(config.logprobs, `${CONFIG}.logprobs`, 0, TOP_LOGPROBS_MAX),
    responseFormat: responseFormat(config),
    reasoningEffort: decodeReasoningEffort(config.thinkingConfig),
  })
}

function responseFormat(config: JsonObject): ResponseFormat | undefined {
  if (readText(config.responseMimeType) !== 'application/json') return undefined
  const schema = readObject(config.responseJsonSchema) ?? readObject(config.responseSchema)
  if (!schema) return { type: 'json_object' }
  return unnamedSchemaFormat(schema)
}

function toolFields(body: JsonObject): Partial<ChatRequest> {
  if (body.tools === undefined || body.tools === null) return {}
  const tools = decodeTools(requireObjects(body.tools, 'tools'))
  for (const [i, tool] of tools.entries())
    if (tool.type === 'function') requireString(tool.function?.name || undefined, `tools[${i}].name`)
  const config = readObject(optionalObject(body.toolConfig, 'toolConfig')?.functionCallingConfig)
  return { tools, ...present({ toolChoice: decodeToolChoice(config) }) }
}
