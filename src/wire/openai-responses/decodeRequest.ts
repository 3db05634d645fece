import type { ChatRequest, Message } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { printableStart } from '../../core/printable.ts'
import { checkDepth, checkName } from '../check.ts'
import { TOP_LOGPROBS_MAX, USER_LENGTH_MAX } from '../openai-chat/decodeRequest.ts'
import { checkExtra } from '../openai-chat/requestExtras.ts'
import { compact } from '../read.ts'
import {
  invalid,
  isAbsent,
  isEmpty,
  optionalBoolean,
  optionalInteger,
  optionalNumber,
  optionalObject,
  optionalString,
  present,
  readRequest,
  requireList,
  requireString,
} from '../requestReader.ts'
import { namesOfUnknown } from '../unknownFields.ts'
import type { DecodedRequest } from '../wire.ts'
import { toolsWithin } from './additionalTools.ts'
import { nativeOnlyIn } from './callerRun.ts'
import { decodeInput, decodeInstructions } from './decodeInput.ts'
import { LOGPROBS } from './include.ts'
import { decodeText } from './decodeText.ts'
import { decodeTools } from './decodeTools.ts'
import { leftOutOf } from './leftOut.ts'
import { unmodelledIn } from './unmodelled.ts'

/** Reads and checks a request; a refusal names the first offending field. Never throws. */
export function decodeRequest(body: Json): DecodedRequest {
  return readRequest(body, decodeBody)
}

function decodeBody(body: JsonObject): ChatRequest {
  refuseMemory(body)
  // Before the model, which a prompt template may name.
  refuseVendorFields(body)
  const model = requireString(body.model, 'model')
  if (model === '') invalid('model', 'must be a non-empty string')
  const stream = optionalBoolean(body.stream, 'stream') ?? false
  const instructions = decodeInstructions(optionalString(body.instructions, 'instructions'))
  const messages: Message[] = [...instructions, ...decodeInput(body.input)]
  for (const name of NESTED) checkDepth(body[name], name)
  const { fields: toolFields, leftOut } = decodeTools(body)
  const { responseFormat, verbosity } = decodeText(body)
  const logprobs = decodeLogprobs(body)
  checkSettings(body)
  const unknown = [...leftOutOf(body), ...leftOut.map((kind) => `tools[${kind}]`)]
  const unmodelled = unmodelledIn(body)
  const toolsElsewhere = toolsWithin(body.input)
  const nativeOnly = nativeOnlyIn(body, toolFields.tools)
  return {
    model,
    messages,
    n: 1,
    stream,
    // The last event of every stream of this format has the usage.
    includeUsage: stream,
    ...present({
      maxTokens: optionalInteger(body.max_output_tokens, 'max_output_tokens', 1),
      temperature: optionalNumber(body.temperature, 'temperature', 0, 2),
      topP: optionalNumber(body.top_p, 'top_p', 0, 1),
      user: readUser(body.user),
      promptCacheKey: optionalString(body.prompt_cache_key, 'prompt_cache_key'),
      reasoningEffort: decodeEffort(body),
      responseFormat,
    }),
    ...logprobs,
    ...toolFields,
    extra: compact({ ...extrasOf(body), verbosity }),
    ...(unknown.length > 0 && { unknownFields: namesOfUnknown(unknown) }),
    ...(unmodelled.length > 0 && { unmodelled }),
    ...(toolsElsewhere.length > 0 && { toolsElsewhere }),
    ...(nativeOnly && { nativeOnly }),
  }
}

/** Besides the items of the input. */
const NESTED = ['tools', 'tool_choice', 'text', 'reasoning', 'include', 'stream_options'] as const

/** Where answers are kept, the endpoint puts the kept items in place of the id before it decodes the request. */
function refuseMemory(body: JsonObject): void {
  if (!isAbsent(body.previous_response_id))
    invalid('previous_response_id', 'names a response that is not kept here: send the whole conversation')
}

/** What names something of the vendor's, or is done by it without the caller. */
function refuseVendorFields(body: JsonObject): void {
  for (const name of ['conversation', 'prompt'] as const)
    if (!isAbsent(body[name])) invalid(name, 'is not available here')
  if (optionalBoolean(body.background, 'background') === true) invalid('background', 'is not available here')
}

/** Settings that are understood and need no place in the canonical request, or are left out by name. */
function checkSettings(body: JsonObject): void {
  optionalBoolean(body.store, 'store')
  optionalObject(body.stream_options, 'stream_options')
  optionalInteger(body.max_tool_calls, 'max_tool_calls', 1)
  const { truncation } = body
  if (!isAbsent(truncation) && truncation !== 'auto' && truncation !== 'disabled')
    invalid('truncation', 'must be `auto` or `disabled`')
}

function decodeEffort(body: JsonObject): string | undefined {
  const effort = optionalObject(body.reasoning, 'reasoning')?.effort
  return isAbsent(effort) ? undefined : checkName(effort, 'reasoning.effort')
}

function readUser(value: Json | undefined): string | undefined {
  const user = optionalString(value, 'user')
  if (user !== undefined && user.length > USER_LENGTH_MAX)
    invalid('user', `must not be longer than ${USER_LENGTH_MAX} characters`)
  return user
}

function decodeLogprobs(body: JsonObject): Pick<ChatRequest, 'logprobs' | 'topLogprobs'> {
  const top = optionalInteger(body.top_logprobs, 'top_logprobs', 0, TOP_LOGPROBS_MAX)
  const include = isAbsent(body.include) ? [] : requireList(body.include, 'include')
  for (const [i, value] of include.entries()) checkIncluded(value, `include[${i}]`)
  if (!include.includes(LOGPROBS)) return {}
  return { logprobs: true, ...(top !== undefined && { topLogprobs: top }) }
}

function checkIncluded(value: Json, param: string): void {
  if (typeof value !== 'string')
    invalid(param, `is \`${printableStart(JSON.stringify(value))}\`, and must be a string`)
}

/** Fields that chat completions have by the same name. */
const EXTRAS = [
  'metadata',
  'moderation',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
] as const

function extrasOf(body: JsonObject): JsonObject {
  const extra: Record<string, Json> = {}
  for (const name of EXTRAS) {
    const value = body[name]
    if (isAbsent(value) || (typeof value === 'object' && isEmpty(value))) continue
    checkExtra(name, value)
    extra[name] = value
  }
  return extra
}
