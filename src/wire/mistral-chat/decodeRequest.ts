import type {
  ContentPart,
  Message,
  ResponseFormat,
  Tool,
  ToolCall,
  ToolChoice,
} from '../../core/chat/request.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import {
  optionalBoolean,
  optionalInteger,
  optionalList,
  optionalNumber,
  optionalObject,
  optionalString,
  optionalStop,
  invalid,
  present,
  readRequest,
  requireList,
  requireObject,
  requireString,
  requireTurns,
} from '../requestReader.ts'
import type { DecodedRequest } from '../wire.ts'
import { readContent, readFunction } from './decodeResponse.ts'

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
      messages: messages.map((message, index) => readMessage(message, `messages[${index}]`)),
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
          readTool(tool, `tools[${index}]`),
        ),
        toolChoice: readToolChoice(fields['tool_choice']),
        parallelToolCalls: optionalBoolean(fields['parallel_tool_calls'], 'parallel_tool_calls'),
        responseFormat: readResponseFormat(fields['response_format']),
        reasoningEffort: optionalString(fields['reasoning_effort'], 'reasoning_effort'),
        promptCacheKey: optionalString(fields['prompt_cache_key'], 'prompt_cache_key'),
      }),
      extra: Object.fromEntries(EXTRAS.filter((name) => name in fields).map((name) => [name, fields[name]])),
    }
  })
}

function readMessage(value: Json, path: string): Message {
  const message = requireObject(value, path)
  const { content } = message
  switch (message['role']) {
    case 'system':
      return { role: 'system', content: readParts(content, `${path}.content`) }
    case 'user':
      return { role: 'user', content: readParts(content, `${path}.content`) }
    case 'assistant':
      return readAssistant(message, path)
    case 'tool':
      return {
        role: 'tool',
        content: readParts(content, `${path}.content`),
        ...present({
          tool_call_id: optionalString(message['tool_call_id'], `${path}.tool_call_id`),
          name: optionalString(message['name'], `${path}.name`),
        }),
      }
    default:
      return invalid(`${path}.role`, 'must be system, user, assistant or tool')
  }
}

function readParts(content: Json | undefined, path: string): string | ContentPart[] {
  if (typeof content === 'string') return content
  const parts = requireList(content, path)
  return parts.map((value, index) => {
    const part = requireObject(value, `${path}[${index}]`)
    const type = requireString(part['type'], `${path}[${index}].type`)
    const image = part['image_url']
    if (type === 'image_url' && typeof image === 'string') return { type, image_url: { url: image } }
    return { ...part, type }
  })
}

function readAssistant(message: JsonObject, path: string): Message {
  const { content } = message
  if (content !== undefined && content !== null && typeof content !== 'string')
    optionalList(content, `${path}.content`)
  const { text, reasoning, details } = readContent(content)
  const calls = optionalList(message['tool_calls'], `${path}.tool_calls`)?.map((value, index): ToolCall => {
    const at = `${path}.tool_calls[${index}]`
    const call = requireObject(value, at)
    const { name, text: given } = readFunction(call)
    if (name === '') invalid(`${at}.function.name`, 'is required')
    return {
      id: requireString(call['id'], `${at}.id`),
      type: 'function',
      function: { name, arguments: given },
    }
  })
  return {
    role: 'assistant',
    content: text === '' && calls !== undefined ? null : text,
    ...present({
      tool_calls: calls?.length === 0 ? undefined : calls,
      reasoning_content: reasoning === '' ? undefined : reasoning,
      reasoning_details: details.length === 0 ? undefined : details,
    }),
  }
}

function readTool(value: Json, path: string): Tool {
  const tool = requireObject(value, path)
  const type = optionalString(tool['type'], `${path}.type`) ?? 'function'
  if (type !== 'function') return { ...tool, type }
  const definition = requireObject(tool['function'], `${path}.function`)
  return {
    type,
    function: {
      name: requireString(definition['name'], `${path}.function.name`),
      ...present({
        description: optionalString(definition['description'], `${path}.function.description`),
        parameters: optionalObject(definition['parameters'], `${path}.function.parameters`),
        strict: optionalBoolean(definition['strict'], `${path}.function.strict`),
      }),
    },
  }
}

function readToolChoice(value: Json | undefined): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined
  if (value === 'none' || value === 'auto' || value === 'required') return value
  if (value === 'any') return 'required'
  const choice = isJsonObject(value) ? value : invalid('tool_choice', 'is unknown')
  const called = requireObject(choice['function'], 'tool_choice.function')
  return { type: 'function', function: { name: requireString(called['name'], 'tool_choice.function.name') } }
}

function readResponseFormat(value: Json | undefined): ResponseFormat | undefined {
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
