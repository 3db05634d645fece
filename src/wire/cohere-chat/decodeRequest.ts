import type {
  ContentPart,
  Message,
  ResponseFormat,
  Tool,
  ToolCall,
  ToolChoice,
} from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { writeJson } from '../errorAnswer.ts'
import { readObject, readText } from '../read.ts'
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
import { readContent } from './decodeResponse.ts'

const STOP_MAX = 5
/** Cohere's schema has no name, ours must have one. */
const SCHEMA_NAME = 'response'

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
      messages: messages.map((message, index) => readMessage(message, `messages[${index}]`)),
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
          readTool(tool, `tools[${index}]`, strict),
        ),
        toolChoice: readToolChoice(fields['tool_choice']),
        responseFormat: readResponseFormat(optionalObject(fields['response_format'], 'response_format')),
        reasoningEffort: readThinking(optionalObject(fields['thinking'], 'thinking')),
      }),
      extra: {},
    }
  })
}

function readMessage(value: Json, path: string): Message {
  const message = requireObject(value, path)
  const at = `${path}.content`
  switch (message['role']) {
    case 'system':
      return { role: 'system', content: readParts(message['content'], at) }
    case 'user':
      return { role: 'user', content: readParts(message['content'], at) }
    case 'assistant':
      return readAssistant(message, path)
    case 'tool':
      return {
        role: 'tool',
        tool_call_id: requireString(message['tool_call_id'], `${path}.tool_call_id`),
        content: readParts(message['content'], at),
      }
    default:
      return invalid(`${path}.role`, 'must be system, user, assistant or tool')
  }
}

/** A document of a tool's output is its text. */
function readParts(content: Json | undefined, path: string): string | ContentPart[] {
  if (typeof content === 'string') return content
  const parts = requireList(content, path)
  return parts.map((value, index) => {
    const part = requireObject(value, `${path}[${index}]`)
    const type = requireString(part['type'], `${path}[${index}].type`)
    const document = readObject(part['document'])
    return document === undefined
      ? { ...part, type }
      : {
          type: 'text',
          text:
            writeJson(document['data'] ?? {}) ?? invalid(`${path}[${index}].document`, 'is nested too deep'),
        }
  })
}

function readAssistant(message: JsonObject, path: string): Message {
  const { text, reasoning } = readContent(message['content'])
  const content = (optionalString(message['tool_plan'], `${path}.tool_plan`) ?? '') + text
  const calls = optionalList(message['tool_calls'], `${path}.tool_calls`)?.map((value, index): ToolCall => {
    const at = `${path}.tool_calls[${index}]`
    const call = requireObject(value, at)
    const called = requireObject(call['function'], `${at}.function`)
    return {
      id: requireString(call['id'], `${at}.id`),
      type: 'function',
      function: {
        name: requireString(called['name'], `${at}.function.name`),
        arguments: optionalString(called['arguments'], `${at}.function.arguments`) ?? '{}',
      },
    }
  })
  const calling = calls !== undefined && calls.length > 0
  return {
    role: 'assistant',
    content: content === '' && calling ? null : content,
    ...(calling ? { tool_calls: calls } : {}),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
  }
}

function readTool(value: Json, path: string, strict: boolean | undefined): Tool {
  const definition = requireObject(requireObject(value, path)['function'], `${path}.function`)
  return {
    type: 'function',
    function: {
      name: requireString(definition['name'], `${path}.function.name`),
      ...present({
        description: optionalString(definition['description'], `${path}.function.description`),
        parameters: optionalObject(definition['parameters'], `${path}.function.parameters`),
        strict: strict === true ? true : undefined,
      }),
    },
  }
}

function readToolChoice(value: Json | undefined): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined
  if (value === 'REQUIRED') return 'required'
  return value === 'NONE' ? 'none' : invalid('tool_choice', 'must be REQUIRED or NONE')
}

function readResponseFormat(format: JsonObject | undefined): ResponseFormat | undefined {
  if (format === undefined) return undefined
  const type = requireString(format['type'], 'response_format.type')
  const schema = optionalObject(format['json_schema'], 'response_format.json_schema')
  return schema === undefined ? { type } : { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema } }
}

function readThinking(thinking: JsonObject | undefined): string | undefined {
  if (thinking === undefined) return undefined
  return readText(thinking['type']) === 'disabled' ? 'none' : 'medium'
}
