import type { ChatRequest } from '../../../core/chat/request.ts'
import type { RequestSource } from '../../../core/traits.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
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
  const seen = lookAt(source.body, request, target)
  if (!seen.isReadable) return undefined
  const fields = requestFields(target)
  const unknown: string[] = []
  const body: Record<string, Json | undefined> = {}
  for (const name in source.body) {
    if (PASSED_FIELDS.has(name) || target.allowFields?.includes(name)) body[name] = source.body[name]
    else if (!isAbsent(source.body[name])) unknown.push(name)
  }
  body.model = target.upstreamModel
  body.max_tokens = maxTokensFor(request, target)
  body.stream = request.stream || undefined
  if (seen.hasForeignThoughts) body.messages = withoutForeignThoughts(body)
  dropSampling(body, fields)
  scopeUser(body, request, unknown)
  passEdits(body, unknown)
  const { beta, leftOut } = betas(source.headers[BETA], target.allowFields)
  unknown.push(...leftOut, ...dropVendorTools(body))
  return {
    path: '/messages',
    headers: { [VERSION]: versionOf(source.headers[VERSION]), ...(beta !== undefined && { [BETA]: beta }) },
    body,
    dropped: [
      ...namesOfUnknown(unknown),
      ...fields.dropped,
      ...(seen.hasForeignThoughts ? ['messages.content[thinking]'] : []),
    ],
  }
}

type Draft = Record<string, Json | undefined>

/** Ids as the API takes them. */
const TOOL_ID = /^[\w-]+$/

interface Seen {
  /**
   * The API can read the conversation: instructions are where the model takes them, and ids of calls, which may be those of
   * another provider, are such as it takes.
   */
  readonly isReadable: boolean
  /** Some of its thoughts another provider made: they are left out. */
  readonly hasForeignThoughts: boolean
}

const UNREADABLE: Seen = { isReadable: false, hasForeignThoughts: false }

function lookAt(body: JsonObject, request: ChatRequest, { facts }: EncodeTarget): Seen {
  let instructions = 0
  let hasForeignThoughts = false
  for (const { role, content } of readObjects(body.messages)) {
    if (role === 'system') instructions += 1
    if (typeof content === 'string') continue
    for (const block of readObjects(content)) {
      if (!hasReadableIds(block)) return UNREADABLE
      hasForeignThoughts ||= isForeignThought(block)
    }
  }
  if (instructions > 0 && !areInPlace(instructions, request, facts)) return UNREADABLE
  // With a budget for thoughts the API wants those of the turn that it goes on with.
  const wantsThoughts = hasForeignThoughts && readObject(body.thinking)?.type === 'enabled'
  return wantsThoughts ? UNREADABLE : { isReadable: true, hasForeignThoughts }
}

function areInPlace(instructions: number, { messages }: ChatRequest, facts: EncodeTarget['facts']): boolean {
  if (facts.systemInPlace === false) return false
  const top = messages.findIndex(({ role }) => role !== 'system')
  const inPlace = [...instructionsInPlace(messages)].filter((place) => place > top)
  return inPlace.length >= instructions
}

function hasReadableIds({ type, id, tool_use_id: result }: JsonObject): boolean {
  switch (type) {
    case 'tool_use':
      return typeof id === 'string' && TOOL_ID.test(id)
    case 'tool_result':
      return typeof result === 'string' && TOOL_ID.test(result)
    default:
      return true
  }
}

/** The messages without thoughts that another provider made, which the API refuses. */
function withoutForeignThoughts({ messages }: JsonObject): readonly JsonObject[] {
  return readObjects(messages).flatMap((turn): JsonObject[] => {
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
function dropSampling(body: Draft, fields: RequestFields): void {
  for (const name of ['temperature', 'top_p', 'top_k'] as const) {
    if (isAbsent(body[name])) continue
    if (fields.refuses(name) || fields.refuses('temperature'))
      body[name] = fields.drop({ [name]: body[name] })
  }
}

/** The request has the name of the user as its workspace's own. What else is there could be another name for it. */
function scopeUser(body: Draft, { user }: ChatRequest, unknown: string[]): void {
  const metadata = readObject(body.metadata)
  if (!metadata) return
  for (const name in metadata) if (name !== 'user_id') unknown.push(`metadata.${name}`)
  body.metadata = user === undefined ? undefined : { user_id: user }
}

/** @returns the names of the tools that are left out */
function dropVendorTools(body: Draft): string[] {
  const names: string[] = []
  const own = readObjects(body.tools).filter((tool) => {
    const kind = vendorToolOf(tool)
    if (kind !== undefined) names.push(`tools[${kind}]`)
    return kind === undefined
  })
  if (names.length > 0) body.tools = own.length > 0 ? own : undefined
  if (own.length === 0) body.tool_choice = undefined
  return names
}

function passEdits(body: Draft, unknown: string[]): void {
  const management = readObject(body.context_management)
  const edits = management?.edits
  if (!Array.isArray(edits)) return
  const passed = edits.filter((edit) => PASSED_EDITS.test(readText(readObject(edit)?.type) ?? ''))
  if (passed.length === edits.length) return
  unknown.push('context_management.edits')
  body.context_management = { ...management, edits: passed }
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
