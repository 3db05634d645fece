import type { Json, JsonObject } from '../../core/json.ts'
import { type ExactNumber, hasSixtyFourBits, isExactNumber } from '../../core/exactNumber.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import { CHOICES_MAX } from '../askedChoices.ts'
import {
  InvalidField,
  checkBoolean,
  checkBounded,
  checkDepth,
  checkInteger,
  checkName,
  checkNumber,
  checkObject,
  checkString,
} from '../check.ts'
import { isAbsent, isEmpty, readRequest } from '../requestReader.ts'
import type { DecodedRequest } from '../wire.ts'
import { decodeMessages } from './decodeMessages.ts'
import { decodeRouting } from './decodeRouting.ts'
import { checkExtra } from './requestExtras.ts'
import { checkToolChoice, decodeResponseFormat, decodeToolChoice, decodeTools } from './tools.ts'
import { namesOfUnknown } from '../unknownFields.ts'

/** The most that any provider takes: OpenAI itself takes 4, and a target that takes fewer refuses the rest. */
export const STOP_SEQUENCES_MAX = 16
/** In UTF-16 units, of each. */
export const STOP_LENGTH_MAX = 1_000
export const TOP_LOGPROBS_MAX = 20
/** It is kept with each receipt. In UTF-16 units, as OpenAI bounds the values of `metadata`. */
export const USER_LENGTH_MAX = 512

type Draft = { -readonly [Field in keyof ChatRequest]: ChatRequest[Field] }

const NOTHING: JsonObject = {}

/** An empty list or object in these says nothing. `web_search_options: {}` is none of them: it asks for a search. */
const LISTS: ReadonlySet<string> = new Set(['stop', 'tools', 'functions', 'modalities'])
const OBJECTS: ReadonlySet<string> = new Set([
  'tool_choice',
  'function_call',
  'response_format',
  'logit_bias',
  'metadata',
  'audio',
  'prediction',
  'moderation',
  'prompt_cache_options',
])

/**
 * Reads and checks a chat completion request: the fields of docs/api.md, and what else OpenAI's API has. A refusal names the first offending field: `model`, then `messages`, then the
 * others in the order they were sent. Never throws.
 */
export function decodeRequest(body: Json): DecodedRequest {
  return readRequest(body, readBody)
}

function readBody(body: JsonObject): ChatRequest {
  const draft: Draft = {
    model: readModel(body.model),
    messages: decodeMessages(body.messages),
    n: 1,
    stream: false,
    includeUsage: false,
    extra: NOTHING,
  }
  let extra: Record<string, Json> | undefined
  const unknown: string[] = []
  for (const name in body) {
    const value = body[name]
    if (isAbsent(value)) continue
    if (typeof value === 'object' && (Array.isArray(value) ? LISTS : OBJECTS).has(name) && isEmpty(value))
      continue
    if (readField(draft, name, value)) continue
    if (!checkExtra(name, value)) {
      unknown.push(name)
      continue
    }
    extra ??= {}
    extra[name] = value
  }
  const streamOptions = body.stream_options
  if (!isAbsent(streamOptions)) {
    const rest = readStreamOptions(draft, streamOptions)
    if (rest) extra = { ...extra, stream_options: rest }
  }
  const routing = decodeRouting(body)
  if (routing) draft.routing = routing
  if (extra) draft.extra = extra
  dropDependents(draft)
  checkToolChoice(draft.toolChoice, draft.tools)
  if (unknown.length > 0) draft.unknownFields = namesOfUnknown(unknown)
  return draft
}

/** Removes what says something of a field that is absent. */
function dropDependents(draft: Draft): void {
  if (!draft.tools && draft.extra.functions === undefined) {
    delete draft.toolChoice
    delete draft.parallelToolCalls
    if (draft.extra.function_call !== undefined) {
      const { function_call: _, ...rest } = draft.extra
      draft.extra = rest
    }
  }
  if (draft.topLogprobs === undefined || draft.logprobs === true) return
  if (draft.topLogprobs > 0) throw new InvalidField('top_logprobs', 'may only be set when `logprobs` is true')
  delete draft.topLogprobs
}

function readModel(value: Json | undefined): string {
  if (isAbsent(value)) throw new InvalidField('model', 'is required')
  return checkName(value, 'model')
}

/** Reads a field that the canonical request models; false when it is none of these. */
function readField(draft: Draft, name: string, value: Json): boolean {
  switch (name) {
    case 'model':
    case 'messages':
    case 'stream_options':
    case 'models':
    case 'provider':
      return true
    case 'stream':
      draft.stream = checkBoolean(value, name)
      return true
    case 'n':
      draft.n = checkInteger(value, name, 1, CHOICES_MAX)
      return true
    case 'max_completion_tokens':
      draft.maxTokens = checkInteger(value, name, 1)
      return true
    case 'max_tokens': {
      const most = checkInteger(value, name, 1)
      draft.maxTokens ??= most
      return true
    }
    case 'temperature':
      draft.temperature = checkNumber(value, name, 0, 2)
      return true
    case 'top_p':
      draft.topP = checkNumber(value, name, 0, 1)
      return true
    case 'frequency_penalty':
      draft.frequencyPenalty = checkNumber(value, name, -2, 2)
      return true
    case 'presence_penalty':
      draft.presencePenalty = checkNumber(value, name, -2, 2)
      return true
    case 'stop': {
      const stop = readStop(value)
      if (stop.length > 0) draft.stop = stop
      return true
    }
    case 'seed':
      draft.seed = readSeed(value, name)
      return true
    case 'user':
      draft.user = checkBounded(value, name, USER_LENGTH_MAX)
      return true
    case 'logprobs':
      draft.logprobs = checkBoolean(value, name)
      return true
    case 'top_logprobs':
      draft.topLogprobs = checkInteger(value, name, 0, TOP_LOGPROBS_MAX)
      return true
    case 'tools':
      draft.tools = decodeTools(value)
      return true
    case 'tool_choice':
      draft.toolChoice = decodeToolChoice(value)
      return true
    case 'parallel_tool_calls':
      draft.parallelToolCalls = checkBoolean(value, name)
      return true
    case 'response_format':
      draft.responseFormat = decodeResponseFormat(value)
      return true
    case 'reasoning_effort':
      draft.reasoningEffort = checkName(value, name)
      return true
    case 'prompt_cache_key':
      draft.promptCacheKey = checkString(value, name)
      return true
    default:
      return false
  }
}

/** Reads `include_usage`; gives back what else the options hold. An answer that is not streamed has no need of them. */
function readStreamOptions(draft: Draft, value: Json): JsonObject | undefined {
  const { include_usage: includeUsage, ...rest } = checkObject(value, 'stream_options')
  if (!isAbsent(includeUsage)) {
    draft.includeUsage = checkBoolean(includeUsage, 'stream_options.include_usage')
  }
  checkDepth(rest, 'stream_options')
  if (!draft.stream) draft.includeUsage = false
  return draft.stream && Object.keys(rest).length > 0 ? rest : undefined
}

function readSeed(value: Json, name: string): number | ExactNumber {
  if (!isExactNumber(value)) return checkInteger(value, name)
  if (hasSixtyFourBits(value)) return value
  throw new InvalidField(name, 'must be an integer of at most 64 bits')
}

/** Empty texts are left out: clients write one for none. */
function readStop(value: Json): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [checkBounded(value, 'stop', STOP_LENGTH_MAX)]
  if (!Array.isArray(value) || value.length > STOP_SEQUENCES_MAX) {
    throw new InvalidField('stop', `must be a string or an array of up to ${STOP_SEQUENCES_MAX} strings`)
  }
  const all = value.map((entry, i) => checkBounded(entry, `stop[${i}]`, STOP_LENGTH_MAX))
  return all.includes('') ? all.filter((entry) => entry !== '') : all
}
