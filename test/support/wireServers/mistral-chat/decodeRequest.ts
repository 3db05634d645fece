import type { ResponseFormat } from '../../../../src/core/chat/request.ts'
import type { Json } from '../../../../src/core/json.ts'
import {
  optionalBoolean,
  optionalInteger,
  optionalList,
  optionalNumber,
  optionalObject,
  optionalStop,
  optionalString,
  present,
  readRequest,
  requireObject,
  requireString,
  requireTurns,
} from '../../../../src/wire/requestReader.ts'
import type { DecodedRequest } from '../../../../src/wire/wire.ts'
import { decodeTool, decodeToolChoice } from './tools.ts'
import { decodeMessage } from './decodeMessages.ts'

const N_MAX = 128
const EXTRAS = ['prediction', 'service_tier', 'safe_prompt', 'prompt_mode', 'metadata', 'guardrails']

/** Reads a request in Mistral's format. */
export function decodeRequest(body: Json): DecodedRequest {
  return readRequest(body, (fields) => {
    const messages = requireTurns(fields['messages'], 'messages')
    const stop = typeof fields['stop'] === 'string' ? [fields['stop']] : optionalStop(fields['stop'], 'stop')
    const stream = optionalBoolean(fields['stream'], 'stream') ?? false
    return {
      model: requireString(fields['model'], 'model'),
      messages: messages.map((message, index) => decodeMessage(message, `messages[${index}]`)),
      n: optionalInteger(fields['n'], 'n', 1, N_MAX) ?? 1,
      stream,
      includeUsage: stream,
      ...present({
        maxTokens: optionalInteger(fields['max_tokens'], 'max_tokens', 1),
        temperature: optionalNumber(fields['temperature'], 'temperature', 0, 2),
        topP: optionalNumber(fields['top_p'], 'top_p', 0, 1),
        frequencyPenalty: optionalNumber(fields['frequency_penalty'], 'frequency_penalty', -2, 2),
        presencePenalty: optionalNumber(fields['presence_penalty'], 'presence_penalty', -2, 2),
        stop,
        seed: optionalInteger(fields['random_seed'], 'random_seed', 0),
        tools: optionalList(fields['tools'], 'tools')?.map((tool, index) =>
          decodeTool(tool, `tools[${index}]`),
        ),
        toolChoice: decodeToolChoice(fields['tool_choice']),
        parallelToolCalls: optionalBoolean(fields['parallel_tool_calls'], 'parallel_tool_calls'),
        responseFormat: decodeResponseFormat(fields['response_format']),
        reasoningEffort: optionalString(fields['reasoning_effort'], 'reasoning_effort'),
        promptCacheKey: optionalString(fields['prompt_cache_key'], 'prompt_cache_key'),
      }),
      extra: Object.fromEntries(EXTRAS.filter((name) => name in fields).map((name) => [name, fields[name]])),
    }
  })
}

function decodeResponseFormat(value: Json | undefined): ResponseFormat | undefined {
  const format = optionalObject(value, 'response_format')
  if (format === undefined) return undefined
  const type = requireString(format['type'], 'response_format.type')
  if (type !== 'json_schema') return { type }
  const at = 'response_format.json_schema'
  const schema = requireObject(format['json_schema'], at)
  return {
    type,
    json_schema: {
      name: requireString(schema['name'], `${at}.name`),
      ...present({
        description: optionalString(schema['description'], `${at}.description`),
        schema: optionalObject(schema['schema'], `${at}.schema`),
        strict: optionalBoolean(schema['strict'], `${at}.strict`),
      }),
    },
  }
}
