import type { ChatRequest } from '../../../core/chat/request.ts'
import type { Json } from '../../../core/json.ts'
import type { RequestSource } from '../../../core/traits.ts'
import { readObject, readText } from '../../read.ts'
import { type RequestFields, requestFields } from '../../requestFields.ts'
import { isAbsent } from '../../requestReader.ts'
import { temperatureFor, topPFor } from '../../sampling.ts'
import { namesOfUnknown } from '../../unknownFields.ts'
import type { EncodedRequest, EncodeTarget } from '../../wire.ts'
import { TEMPERATURE_MAX, outputLimit } from '../encodeRequest.ts'
import { passInput } from './passInput.ts'
import { type Draft, passTools } from './passTools.ts'
import { ENCRYPTED_REASONING } from '../include.ts'
import { OWN_FIELDS, PASSED_FIELDS, PASSED_IN_INCLUDE, PASSED_IN_REASONING } from './passedFields.ts'

/** The order of fields, and every value within them, stays; only white space and the spelling of numbers is JSON's own. */
export function encodeRequest(
  source: RequestSource,
  request: ChatRequest,
  target: EncodeTarget,
): EncodedRequest | undefined {
  const fields = requestFields(target)
  if (mustBeRewritten(request, target, fields)) return undefined
  const input = passInput(source.body.input)
  if (input === undefined) return undefined
  const unknown: string[] = []
  const body: Draft = {}
  for (const name in source.body) {
    if (PASSED_FIELDS.has(name) || target.allowFields?.includes(name)) body[name] = source.body[name]
    else if (!OWN_FIELDS.has(name) && !isAbsent(source.body[name])) unknown.push(name)
    // Where the caller wrote it.
    else if (name === 'store') body.store = false
  }
  body.model = target.upstreamModel
  body.store = false
  body.input = input.items
  body.max_output_tokens = fields.essential('max_completion_tokens', outputLimit(request, target))
  body.stream = request.stream || undefined
  if (!request.stream) body.stream_options = undefined
  scopeIds(body, request)
  dropRefused(body, request, target, fields)
  passReasoning(body, unknown)
  passInclude(body, request, target, unknown)
  unknown.push(...passTools(body, input.addsTools), ...input.leftOut)
  return {
    path: '/responses',
    headers: {},
    body,
    dropped: [...namesOfUnknown([...new Set(unknown)]), ...fields.dropped],
  }
}

/** The request asks for what the target takes in another way, or not at all: that is the translation's to decide. */
function mustBeRewritten(
  request: ChatRequest,
  { facts, quirks }: EncodeTarget,
  fields: RequestFields,
): boolean {
  const {
    responseFormat: format,
    reasoningEffort,
    tools,
    toolChoice,
    logprobs,
    topLogprobs,
    extra,
    messages,
  } = request
  const asked = {
    reasoning_effort: reasoningEffort,
    tools,
    tool_choice: toolChoice,
    logprobs,
    top_logprobs: topLogprobs,
    verbosity: extra.verbosity,
  }
  if (Object.entries(asked).some(([name, value]) => value !== undefined && fields.refuses(name))) return true
  if (facts.refusesPrefill && messages.at(-1)?.role === 'assistant') return true
  if (format === undefined || format.type === 'text') return false
  return (
    fields.refuses('response_format') ||
    facts.responseFormats !== undefined ||
    facts.schemaWithoutDialect === true ||
    facts.formatOrTools === true ||
    quirks.formatOrTools === true
  )
}

/** The request has the names that its caller gives to users and caches as its workspace's own. */
function scopeIds(body: Draft, { user, promptCacheKey, extra }: ChatRequest): void {
  const scoped = {
    user,
    prompt_cache_key: promptCacheKey,
    safety_identifier: extra.safety_identifier,
    metadata: extra.metadata,
  }
  for (const [name, value] of Object.entries(scoped))
    if (value !== undefined && !isAbsent(body[name])) body[name] = value
}

/** Fields that any target may refuse: without them the answer means the same. */
const OPTIONAL = [
  'parallel_tool_calls',
  'stream_options',
  'top_logprobs',
  'user',
  'metadata',
  'moderation',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
] as const

function dropRefused(body: Draft, request: ChatRequest, target: EncodeTarget, fields: RequestFields): void {
  for (const name of OPTIONAL) if (!isAbsent(body[name])) body[name] = fields.optional(name, body[name])
  body.temperature = temperatureFor(request, target, fields, { maximum: TEMPERATURE_MAX })
  body.top_p = topPFor(request, target, fields)
}

function passReasoning(body: Draft, unknown: string[]): void {
  const reasoning = readObject(body.reasoning)
  if (!reasoning) return
  const { passed = [], other = [] } = Object.groupBy(Object.entries(reasoning), ([name]) =>
    PASSED_IN_REASONING.has(name) ? 'passed' : 'other',
  )
  if (other.length === 0) return
  for (const [name, value] of other) if (!isAbsent(value)) unknown.push(`reasoning.${name}`)
  body.reasoning = Object.fromEntries(passed)
}

/** What a model has reasoned is kept nowhere but with the caller, so it is always asked for. */
function passInclude(
  body: Draft,
  { reasoningEffort }: ChatRequest,
  { hiddenReasoning }: EncodeTarget,
  unknown: string[],
): void {
  const given = Array.isArray(body.include) ? (body.include as readonly Json[]) : []
  const passed = given.filter((value) => PASSED_IN_INCLUDE.has(value))
  for (const value of given)
    if (!PASSED_IN_INCLUDE.has(value)) unknown.push(`include[${readText(value) ?? ''}]`)
  const reasons = hiddenReasoning !== undefined || reasoningEffort !== undefined
  if (reasons && !passed.includes(ENCRYPTED_REASONING)) passed.push(ENCRYPTED_REASONING)
  if (passed.length !== given.length || passed.some((value, i) => value !== given[i]))
    body.include = passed.length > 0 ? passed : undefined
}
