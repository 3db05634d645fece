import type { ResponseFormat } from '../../../../src/core/chat/request.ts'
import type { Json, JsonObject } from '../../../../src/core/json.ts'
import { unnamedSchemaFormat } from '../../../../src/wire/responseFormat.ts'
import { readText } from '../../../../src/wire/read.ts'
import {
  invalid,
  optionalBoolean,
  optionalInteger,
  optionalList,
  optionalNumber,
  optionalObject,
  optionalStop,
  present,
  readRequest,
  requireString,
  requireTurns,
} from '../../../../src/wire/requestReader.ts'
import type { DecodedRequest } from '../../../../src/wire/wire.ts'
import { decodeTool, decodeToolChoice } from './tools.ts'
import { decodeMessage } from './decodeMessages.ts'

const STOP_MAX = 5

/** Reads a request in Cohere's format. */
export function decodeRequest(body: Json): DecodedRequest {
  return readRequest(body, (fields) => {
    const messages = requireTurns(fields['messages'], 'messages')
    const stop = optionalStop(fields['stop_sequences'], 'stop_sequences')
    if ((stop?.length ?? 0) > STOP_MAX) invalid('stop_sequences', `must hold at most ${STOP_MAX} texts`)
    const stream = optionalBoolean(fields['stream'], 'stream') ?? false
    const strict = optionalBoolean(fields['strict_tools'], 'strict_tools')
    return {
      model: requireString(fields['model'], 'model'),
      messages: messages.map((message, index) => decodeMessage(message, `messages[${index}]`)),
      n: 1,
      stream,
      includeUsage: stream,
      ...present({
        maxTokens: optionalInteger(fields['max_tokens'], 'max_tokens', 1),
        temperature: optionalNumber(fields['temperature'], 'temperature', 0, 2),
        topP: optionalNumber(fields['p'], 'p', 0.01, 0.99),
        frequencyPenalty: optionalNumber(fields['frequency_penalty'], 'frequency_penalty', 0, 1),
        presencePenalty: optionalNumber(fields['presence_penalty'], 'presence_penalty', 0, 1),
        stop,
        seed: optionalInteger(fields['seed'], 'seed', 0),
        logprobs: optionalBoolean(fields['logprobs'], 'logprobs'),
        tools: optionalList(fields['tools'], 'tools')?.map((tool, index) =>
          decodeTool(tool, `tools[${index}]`, strict),
        ),
        toolChoice: decodeToolChoice(fields['tool_choice']),
        responseFormat: decodeResponseFormat(optionalObject(fields['response_format'], 'response_format')),
        reasoningEffort: decodeThinking(optionalObject(fields['thinking'], 'thinking')),
      }),
      extra: {},
    }
  })
}

function decodeResponseFormat(format: JsonObject | undefined): ResponseFormat | undefined {
  if (format === undefined) return undefined
  const type = requireString(format['type'], 'response_format.type')
  const schema = optionalObject(format['json_schema'], 'response_format.json_schema')
  return schema === undefined ? { type } : unnamedSchemaFormat(schema)
}

function decodeThinking(thinking: JsonObject | undefined): string | undefined {
  if (thinking === undefined) return undefined
  return readText(thinking['type']) === 'disabled' ? 'none' : 'medium'
}
