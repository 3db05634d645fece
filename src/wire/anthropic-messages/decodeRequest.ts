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
  isEmpty,
  present,
  readRequest,
  requireObjects,
  requireString,
  requireTurns,
} from '../requestReader.ts'
import { unnamedSchemaFormat } from '../responseFormat.ts'
import { readObject, readObjects, readText } from '../read.ts'
import { namesOfUnknown } from '../unknownFields.ts'
import { InvalidField, checkDepth } from '../check.ts'
import type { DecodedRequest } from '../wire.ts'
import { decodeMessages, decodeSystem } from './decodeMessages.ts'
import { decodeReasoningEffort, leavesDepthOpen } from './reasoningEffort.ts'
import { decodeToolChoice, decodeTools, forcesTool } from './tools.ts'
import { unmodelledIn } from './unmodelled.ts'
import { vendorToolOf } from './vendorTools.ts'

export function decodeRequest(body: Json): DecodedRequest {
  return readRequest(body, decodeBody)
}

/** In UTF-16 units: it is kept with each receipt. */
const USER_LENGTH_MAX = 512

function decodeBody(body: JsonObject): ChatRequest {
  const model = requireString(body.model, 'model')
  refuseThread(body.thread)
  refuseVendorNames(body)
  const stream = optionalBoolean(body.stream, 'stream') ?? false
  const turns = requireTurns(body.messages, 'messages')
  for (const [i, turn] of turns.entries()) checkDepth(turn, `messages[${i}]`)
  for (const name of NESTED) checkDepth(body[name], name)
  const messages: Message[] = [...decodeSystem(body.system), ...decodeMessages(turns)]
  const { tools, leftOut } = withoutVendorTools(body.tools)
  const unknown = [...unknownIn(body), ...leftOut]
  const unmodelled = unmodelledIn(body)
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
      user: readText(optionalObject(body.metadata, 'metadata')?.user_id)?.slice(0, USER_LENGTH_MAX),
      reasoningEffort: decodeReasoningEffort(body),
      responseFormat: responseFormat(body),
    }),
    ...(leavesDepthOpen(body) && { reasons: true as const }),
    ...toolFields(tools, body.tool_choice, leftOut.length > 0),
    extra: {},
    ...(unknown.length > 0 && { unknownFields: namesOfUnknown(unknown) }),
    ...(unmodelled.length > 0 && { unmodelled }),
  }
}

/** The SDK then sends the whole conversation, by this code (`threads` of Messages are not kept). */
function refuseThread(thread: Json | undefined): void {
  if (isAbsent(thread)) return
  const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
  throw new InvalidField('thread', 'is not kept here: send the whole conversation', details)
}

/** Besides messages. */
const NESTED = ['system', 'tools', 'tool_choice', 'thinking', 'output_config', 'metadata'] as const

/** What names something of the vendor's, or of the operator's account there. */
function refuseVendorNames(body: JsonObject): void {
  for (const name of ['container', 'mcp_servers'] as const) {
    const value = body[name]
    if (!isAbsent(value) && !(typeof value === 'object' && isEmpty(value)))
      invalid(name, 'is not available here')
  }
}

const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'temperature',
  'top_p',
  'stop_sequences',
  'stream',
  'metadata',
  'thinking',
  'output_config',
  'output_format',
  'tools',
  'tool_choice',
  'thread',
])

/** What is read within these. */
const KNOWN_WITHIN: Readonly<Record<string, readonly string[]>> = {
  metadata: ['user_id'],
  thinking: ['type', 'budget_tokens'],
  output_config: ['effort', 'format'],
}

/** Fields that say something and have no place in a request of every provider: they are left out, and named. */
function unknownIn(body: JsonObject): string[] {
  const unknown: string[] = []
  for (const name in body) if (!KNOWN.has(name) && !isAbsent(body[name])) unknown.push(name)
  for (const name in KNOWN_WITHIN) {
    for (const inner in readObject(body[name]))
      if (!KNOWN_WITHIN[name]?.includes(inner)) unknown.push(`${name}.${inner}`)
  }
  if (!isAbsent(body.tools)) unknown.push(...unknownInTools(body.tools))
  unknown.push(...unknownInDocuments(body.messages))
  return unknown
}

const KNOWN_IN_TOOL = new Set(['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'])

function unknownInTools(tools: Json | undefined): string[] {
  const own = readObjects(tools).filter(
    ({ type }) => type === undefined || type === null || type === 'custom',
  )
  const names = own.flatMap((tool) =>
    Object.keys(tool).filter((name) => !KNOWN_IN_TOOL.has(name) && !isAbsent(tool[name])),
  )
  return [...new Set(names)].map((name) => `tools.${name}`)
}

/** What a document says beside its content, and whether it is to be cited. */
function unknownInDocuments(messages: Json | undefined): string[] {
  let citations = false
  let context = false
  for (const { content } of readObjects(messages)) {
    if (typeof content === 'string') continue
    for (const block of readObjects(content)) {
      if (block.type !== 'document' && block.type !== 'search_result') continue
      citations ||= !isAbsent(block.citations)
      context ||= !isAbsent(block.context)
    }
  }
  return [
    ...(citations ? ['messages.content.citations'] : []),
    ...(context ? ['messages.content.context'] : []),
  ]
}

function withoutVendorTools(value: Json | undefined): {
  readonly tools: readonly JsonObject[] | undefined
  readonly leftOut: readonly string[]
} {
  if (isAbsent(value)) return { tools: undefined, leftOut: [] }
  const given = requireObjects(value, 'tools')
  for (const [i, tool] of given.entries()) requireString(tool.name ?? tool.type, `tools[${i}].name`)
  const leftOut = given.flatMap((tool) => vendorToolOf(tool) ?? []).map((kind) => `tools[${kind}]`)
  const tools = given.filter((tool) => vendorToolOf(tool) === undefined)
  return { tools: tools.length === 0 ? undefined : tools, leftOut }
}

function requireMaxTokens(value: Json | undefined): number {
  const tokens = optionalInteger(value, 'max_tokens', 1)
  return tokens ?? invalid('max_tokens', 'is required')
}

function toolFields(
  tools: readonly JsonObject[] | undefined,
  choice: Json | undefined,
  someLeftOut: boolean,
): Partial<ChatRequest> {
  const asked = optionalObject(choice, 'tool_choice')
  if (tools === undefined) {
    if (someLeftOut && forcesTool(asked)) invalid('tool_choice', 'names a tool, and none of `tools` is left')
    return {}
  }
  if (asked?.type === 'tool' && !tools.some(({ name }) => name === asked.name))
    invalid('tool_choice.name', 'names none of `tools`')
  return { tools: decodeTools(tools), ...decodeToolChoice(asked) }
}

function responseFormat(body: JsonObject): ResponseFormat | undefined {
  // Where the beta had it, which clients still send.
  const format = readObject(readObject(body.output_config)?.format) ?? readObject(body.output_format)
  const schema = readObject(format?.schema)
  return schema && unnamedSchemaFormat(schema)
}
