import type {
  ContentPart,
  Message,
  ReasoningDetail,
  ResponseFormat,
  Tool,
  ToolCall,
  ToolChoice,
} from '../../core/chat/request.ts'
import { type Json, type JsonObject, parseJson } from '../../core/json.ts'
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
  requireObject,
  requireObjects,
  requireString,
  requireTurns,
} from '../requestReader.ts'
import type { DecodedRequest } from '../wire.ts'
import { toDetails } from './decodeResponse.ts'
import { decodeDocument, decodeImage } from './media.ts'

/** What the path of a Converse call says, to be joined to its body (`{...body, modelId, stream}`). */
export interface ConversePath {
  readonly modelId: string
  readonly stream: boolean
}

/** Reads `/model/{id}/converse` and `/model/{id}/converse-stream`; undefined for any other path. */
export function readConversePath(path: string): ConversePath | undefined {
  const match = /^\/model\/([^/]+)\/converse(-stream)?$/.exec(path)
  if (match?.[1] === undefined) return undefined
  try {
    return { modelId: decodeURIComponent(match[1]), stream: match[2] !== undefined }
  } catch {
    // A percent sign that encodes nothing.
    return undefined
  }
}

/** Reads a Converse request with the two members of its path in the body: `modelId`, as in the SDKs, and `stream`. */
export function decodeRequest(body: Json): DecodedRequest {
  return readRequest(body, (fields) => {
    const stream = optionalBoolean(fields['stream'], 'stream') ?? false
    const config = optionalObject(fields['inferenceConfig'], 'inferenceConfig') ?? {}
    const toolConfig = optionalObject(fields['toolConfig'], 'toolConfig') ?? {}
    const outputConfig = optionalObject(fields['outputConfig'], 'outputConfig') ?? {}
    const messages = requireTurns(fields['messages'], 'messages')
    const tier = readText(readObject(fields['serviceTier'])?.['type'])
    return {
      model: requireString(fields['modelId'], 'modelId'),
      messages: [
        ...(optionalList(fields['system'], 'system') ?? []).map(readSystem),
        ...messages.flatMap((message, index) => readMessage(message, `messages[${index}]`)),
      ],
      n: 1,
      stream,
      includeUsage: stream,
      ...present({
        maxTokens: optionalInteger(config['maxTokens'], 'inferenceConfig.maxTokens', 1),
        temperature: optionalNumber(config['temperature'], 'inferenceConfig.temperature', 0, 1),
        topP: optionalNumber(config['topP'], 'inferenceConfig.topP', 0, 1),
        stop: optionalStop(config['stopSequences'], 'inferenceConfig.stopSequences'),
        tools: optionalList(toolConfig['tools'], 'toolConfig.tools')?.map((tool, index) =>
          readTool(tool, `toolConfig.tools[${index}]`),
        ),
        toolChoice: readToolChoice(optionalObject(toolConfig['toolChoice'], 'toolConfig.toolChoice')),
        responseFormat: readTextFormat(optionalObject(outputConfig['textFormat'], 'outputConfig.textFormat')),
        reasoningEffort: optionalString(outputConfig['effort'], 'outputConfig.effort'),
      }),
      extra: tier === undefined ? {} : { service_tier: tier },
    }
  })
}

function readSystem(value: Json, index: number): Message {
  const block = requireObject(value, `system[${index}]`)
  return { role: 'system', content: requireString(block['text'], `system[${index}].text`) }
}

/** A user's turn may hold tool results besides its own words: each becomes a message, results first. */
function readMessage(value: Json, path: string): Message[] {
  const message = requireObject(value, path)
  const blocks = requireObjects(message['content'], `${path}.content`)
  switch (message['role']) {
    case 'user':
      return readUser(blocks, path)
    case 'assistant':
      return [readAssistant(blocks, path)]
    default:
      return invalid(`${path}.role`, 'must be user or assistant')
  }
}

function readUser(blocks: readonly JsonObject[], path: string): Message[] {
  const results: Message[] = []
  const parts: ContentPart[] = []
  for (const [index, block] of blocks.entries()) {
    const result = readObject(block['toolResult'])
    if (result === undefined) parts.push(readPart(block, `${path}.content[${index}]`))
    else results.push(readToolResult(result, `${path}.content[${index}].toolResult`))
  }
  return parts.length === 0 ? results : [...results, { role: 'user', content: plainest(parts) }]
}

function readToolResult(result: JsonObject, path: string): Message {
  const parts = (optionalList(result['content'], `${path}.content`) ?? []).map((value, index) => {
    const block = requireObject(value, `${path}.content[${index}]`)
    return block['json'] === undefined
      ? readPart(block, `${path}.content[${index}]`)
      : { type: 'text' as const, text: textOfJson(block['json'], `${path}.content[${index}].json`) }
  })
  return {
    role: 'tool',
    tool_call_id: requireString(result['toolUseId'], `${path}.toolUseId`),
    content: parts.length === 0 ? '' : plainest(parts),
    ...(result['status'] === 'error' && { is_error: true }),
  }
}

function readPart(block: JsonObject, path: string): ContentPart {
  const text = block['text']
  if (typeof text === 'string') return { type: 'text', text }
  const image = readObject(block['image'])
  const document = readObject(block['document'])
  const part = image ? decodeImage(image) : document ? decodeDocument(document) : undefined
  return part ?? invalid(path, 'is of a kind that is not supported')
}

/** One text is a string: what most callers mean. */
function plainest(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [first] = parts
  return parts.length === 1 && first?.type === 'text' && typeof first['text'] === 'string'
    ? first['text']
    : parts
}

function readAssistant(blocks: readonly JsonObject[], path: string): Message {
  let text = ''
  let reasoning = ''
  const details: ReasoningDetail[] = []
  const calls: ToolCall[] = []
  for (const [index, block] of blocks.entries()) {
    const at = `${path}.content[${index}]`
    const reasoningContent = readObject(block['reasoningContent'])
    const toolUse = readObject(block['toolUse'])
    if (reasoningContent) {
      reasoning += readText(readObject(reasoningContent['reasoningText'])?.['text']) ?? ''
      details.push(...toDetails(reasoningContent))
    } else if (toolUse) {
      calls.push({
        id: requireString(toolUse['toolUseId'], `${at}.toolUse.toolUseId`),
        type: 'function',
        function: {
          name: requireString(toolUse['name'], `${at}.toolUse.name`),
          arguments: textOfJson(toolUse['input'] ?? {}, `${at}.toolUse.input`),
        },
      })
    } else {
      text += requireString(block['text'], `${at}.text`)
    }
  }
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  }
}

function textOfJson(value: Json, path: string): string {
  return writeJson(value) ?? invalid(path, 'is nested too deep')
}

function readTool(value: Json, path: string): Tool {
  const spec = requireObject(requireObject(value, path)['toolSpec'], `${path}.toolSpec`)
  return {
    type: 'function',
    function: {
      name: requireString(spec['name'], `${path}.toolSpec.name`),
      ...present({
        description: optionalString(spec['description'], `${path}.toolSpec.description`),
        parameters: optionalObject(
          readObject(spec['inputSchema'])?.['json'],
          `${path}.toolSpec.inputSchema.json`,
        ),
        strict: optionalBoolean(spec['strict'], `${path}.toolSpec.strict`),
      }),
    },
  }
}

function readToolChoice(choice: JsonObject | undefined): ToolChoice | undefined {
  if (choice === undefined) return undefined
  if (choice['auto'] !== undefined) return 'auto'
  if (choice['any'] !== undefined) return 'required'
  const name = requireString(readObject(choice['tool'])?.['name'], 'toolConfig.toolChoice.tool.name')
  return { type: 'function', function: { name } }
}

function readTextFormat(format: JsonObject | undefined): ResponseFormat | undefined {
  if (format === undefined) return undefined
  const at = 'outputConfig.textFormat.structure.jsonSchema'
  const asked = requireObject(readObject(format['structure'])?.['jsonSchema'], at)
  const schema = parseJson(requireString(asked['schema'], `${at}.schema`))
  return {
    type: 'json_schema',
    json_schema: {
      name: optionalString(asked['name'], `${at}.name`) ?? 'response',
      ...present({
        description: optionalString(asked['description'], `${at}.description`),
        schema: optionalObject(schema, `${at}.schema`),
      }),
    },
  }
}
