import type { ChatRequest, RequestSource } from '../../../core/chat/request.ts'
import { type Json, type JsonObject, isJsonObject } from '../../../core/json.ts'
import { instructionsInPlace } from '../../lastTurn.ts'
import { readObject, readObjects, readText } from '../../read.ts'
import { type RequestFields, requestFields } from '../../requestFields.ts'
import { isAbsent } from '../../requestReader.ts'
import { maxTokensFor } from '../../sampling.ts'
import { namesOfUnknown } from '../../unknownFields.ts'
import type { EncodedRequest, EncodeTarget } from '../../wire.ts'
import { API_VERSION } from '../apiVersion.ts'
import { isOwnSecret } from '../reasoning.ts'
import { vendorToolOf } from '../vendorTools.ts'
import { PASSED_EDITS, PASSED_FIELDS, isPassedBeta } from './passedFields.ts'

export const BETA = 'anthropic-beta'
export const VERSION = 'anthropic-version'

/** The order of fields, and every value within them, stays; only white space and the spelling of numbers is JSON's own. */
export function encodeRequest(
  source: RequestSource,
  request: ChatRequest,
  target: EncodeTarget,
): EncodedRequest | undefined {
  if (!passesAsItIs(source.body, request, target)) return undefined
  const fields = requestFields(target)
  const unknown: string[] = []
  const body: Record<string, Json | undefined> = {}
  for (const name in source.body) {
    if (PASSED_FIELDS.has(name) || target.allowFields?.includes(name)) body[name] = source.body[name]
    else if (!isAbsent(source.body[name])) unknown.push(name)
  }
  for (const name in readObject(source.body.metadata))
    if (name !== 'user_id') unknown.push(`metadata.${name}`)
  const messages = withoutForeignThoughts(source.body)
  Object.assign(body, {
    ...(messages && { messages }),
    model: target.upstreamModel,
    max_tokens: maxTokensFor(request, target),
    stream: request.stream || undefined,
    ...sampling(body, fields),
    ...scopedUser(body, request),
    ...withoutVendorTools(body),
    ...contextManagement(body, unknown),
  })
  const { beta, leftOut } = betas(source.headers[BETA], target.allowFields)
  return {
    path: '/messages',
    headers: { [VERSION]: versionOf(source.headers[VERSION]), ...(beta !== undefined && { [BETA]: beta }) },
    body,
    dropped: [
      ...namesOfUnknown([...unknown, ...leftOut, ...vendorTools(source.body)]),
      ...fields.dropped,
      ...(messages ? ['messages.content[thinking]'] : []),
    ],
  }
}

/** Ids as the API takes them. */
const TOOL_ID = /^[\w-]+$/

/**
 * Whether the API can read the conversation: instructions are where the model takes them, ids of calls, which may be those of
 * another provider, are such as it takes, and thoughts that it has not signed can be left out.
 */
function passesAsItIs(body: JsonObject, request: ChatRequest, { facts }: EncodeTarget): boolean {
  const turns = readObjects(body.messages)
  const instructions = turns.filter(({ role }) => role === 'system').length
  if (instructions > 0) {
    if (facts.systemInPlace === false) return false
    const top = request.messages.findIndex(({ role }) => role !== 'system')
    const inPlace = [...instructionsInPlace(request.messages)].filter((place) => place > top)
    if (inPlace.length < instructions) return false
  }
  // With a budget for thoughts the API wants those of the turn that it goes on with.
  const wantsThoughts = readObject(body.thinking)?.type === 'enabled'
  return turns.every(({ content }) =>
    readObjects(content).every((block) => isReadable(block) && !(wantsThoughts && isForeignThought(block))),
  )
}

function isReadable({ type, id, tool_use_id: result }: JsonObject): boolean {
  switch (type) {
    case 'tool_use':
      return typeof id === 'string' && TOOL_ID.test(id)
    case 'tool_result':
      return typeof result === 'string' && TOOL_ID.test(result)
    default:
      return true
  }
}

/** The messages without thoughts that another provider made, which the API refuses; undefined where there are none. */
function withoutForeignThoughts({ messages }: JsonObject): readonly JsonObject[] | undefined {
  const turns = readObjects(messages)
  if (!turns.some(({ content }) => readObjects(content).some(isForeignThought))) return undefined
  return turns.flatMap((turn): JsonObject[] => {
    if (!Array.isArray(turn.content)) return [turn]
    const content = readObjects(turn.content).filter((block) => !isForeignThought(block))
    return content.length === 0 ? [] : [{ ...turn, content }]
  })
}

function isForeignThought({ type, signature, data }: JsonObject): boolean {
  return (
    (type === 'thinking' && !isOwnSecret(signature)) || (type === 'redacted_thinking' && !isOwnSecret(data))
  )
}

/** A model that refuses `temperature` refuses to be sampled otherwise at all. */
function sampling(body: JsonObject, fields: RequestFields): Record<string, Json | undefined> {
  const kept: Record<string, Json | undefined> = {}
  for (const name of ['temperature', 'top_p', 'top_k'] as const) {
    if (isAbsent(body[name])) continue
    const refused = fields.refuses(name) || fields.refuses('temperature')
    if (refused) kept[name] = fields.drop({ [name]: body[name] })
  }
  return kept
}

/** The request has the name of the user as its workspace's own. What else is there could be another name for it. */
function scopedUser({ metadata }: JsonObject, { user }: ChatRequest): Record<string, Json | undefined> {
  return isJsonObject(metadata) ? { metadata: user === undefined ? undefined : { user_id: user } } : {}
}

function withoutVendorTools({ tools }: JsonObject): Record<string, Json | undefined> {
  if (!Array.isArray(tools)) return {}
  const own = readObjects(tools).filter((tool) => vendorToolOf(tool) === undefined)
  if (own.length === tools.length) return {}
  return own.length > 0 ? { tools: own } : { tools: undefined, tool_choice: undefined }
}

function vendorTools({ tools }: JsonObject): string[] {
  return readObjects(tools).flatMap((tool) => {
    const kind = vendorToolOf(tool)
    return kind === undefined ? [] : [`tools[${kind}]`]
  })
}

function contextManagement(body: JsonObject, unknown: string[]): Record<string, Json | undefined> {
  const management = readObject(body.context_management)
  const edits = management?.edits
  if (!Array.isArray(edits)) return {}
  const passed = edits.filter((edit) => PASSED_EDITS.test(readText(readObject(edit)?.type) ?? ''))
  if (passed.length === edits.length) return {}
  unknown.push('context_management.edits')
  return { context_management: { ...management, edits: passed } }
}

function betas(
  sent: string | undefined,
  allowed: readonly string[] = [],
): { readonly beta?: string; readonly leftOut: readonly string[] } {
  const names = (sent ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const passes = (name: string): boolean => isPassedBeta(name) || allowed.includes(name)
  const passed = names.filter(passes)
  return {
    ...(passed.length > 0 && { beta: passed.join(',') }),
    leftOut: names.filter((name) => !passes(name)).map((name) => `${BETA}[${name}]`),
  }
}

function versionOf(sent: string | undefined): string {
  return sent !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(sent) ? sent : API_VERSION
}
