import type { ChatRequest, Message, ResponseFormat } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import {
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalObject,
  optionalStop,
  invalid,
  isAbsent,
  present,
  readRequest,
  requireObjects,
  requireString,
  requireTurns,
} from '../requestReader.ts'
import { unnamedSchemaFormat } from '../responseFormat.ts'
import { readObject, readText } from '../read.ts'
import type { DecodedRequest } from '../wire.ts'
import { decodeMessages, decodeSystem } from './decodeMessages.ts'
import { decodeReasoningEffort } from './reasoningEffort.ts'
import { decodeToolChoice, decodeTools } from './tools.ts'

export function decodeRequest(body: Json): DecodedRequest {
  return readRequest(body, decodeBody)
}

function decodeBody(body: JsonObject): ChatRequest {
  const model = requireString(body.model, 'model')
  const stream = optionalBoolean(body.stream, 'stream') ?? false
  const turns = requireTurns(body.messages, 'messages')
  const messages: Message[] = [...decodeSystem(body.system), ...decodeMessages(turns)]
  return {
    model,
    messages,
    n: 1,
    stream,
    // Every stream of this format ends with the usage.
    includeUsage: stream,
    ...present({
      maxTokens: requireMaxTokens(body.max_tokens),
      temperature: optionalNumber(body.temperature, 'temperature', 0, 1),
      topP: optionalNumber(body.top_p, 'top_p', 0, 1),
      stop: optionalStop(body.stop_sequences, 'stop_sequences'),
      user: readText(readObject(body.metadata)?.user_id),
      reasoningEffort: decodeReasoningEffort(body),
      responseFormat: responseFormat(body),
    }),
    ...toolFields(body),
    extra: {},
  }
}

function requireMaxTokens(value: Json | undefined): number {
  const tokens = optionalInteger(value, 'max_tokens', 1)
  return tokens ?? invalid('max_tokens', 'is required')
}

function toolFields(body: JsonObject): Partial<ChatRequest> {
  if (isAbsent(body.tools)) return {}
  const tools = requireObjects(body.tools, 'tools')
  for (const [i, tool] of tools.entries()) requireString(tool.name ?? tool.type, `tools[${i}].name`)
  return { tools: decodeTools(tools), ...decodeToolChoice(optionalObject(body.tool_choice, 'tool_choice')) }
}

function responseFormat(body: JsonObject): ResponseFormat | undefined {
  const format = readObject(readObject(body.output_config)?.format)
  const schema = readObject(format?.schema)
  return schema && unnamedSchemaFormat(schema)
}
