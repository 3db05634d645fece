import type { Json, JsonObject } from '../../../src/core/json.ts'
import { CannotSay, onlyThese } from '../callers/cannotSay.ts'
import { compact } from '../callers/compact.ts'
import { sayInput } from './sayInput.ts'
import { sayChoice, sayTool } from './sayTools.ts'

const SAME = [
  'model',
  'stream',
  'temperature',
  'top_p',
  'top_logprobs',
  'user',
  'parallel_tool_calls',
  'metadata',
  'moderation',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
] as const

/** Of fields that have another name here, or another form. */
const OTHERWISE = [
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'tool_choice',
  'response_format',
  'verbosity',
  'reasoning_effort',
  'logprobs',
] as const

/**
 * A chat completion request as a caller of Responses writes it by OpenAI's documents, not with the code of `src`: a text of the
 * system before all else as `instructions`. Throws `CannotSay`.
 */
export function sayRequest(request: JsonObject): JsonObject {
  onlyThese(request, [...SAME, ...OTHERWISE], 'the field')
  const { messages, tools, logprobs, top_logprobs: top, reasoning_effort: effort } = request
  if (logprobs !== true && typeof top === 'number' && top > 0) throw new CannotSay('alternatives of no text')
  const { instructions, others } = apart(messages as readonly JsonObject[])
  return compact({
    ...Object.fromEntries(SAME.map((name) => [name, request[name]])),
    instructions,
    input: sayInput(others),
    max_output_tokens: request['max_completion_tokens'] ?? request['max_tokens'],
    tools: Array.isArray(tools) ? (tools as readonly JsonObject[]).map(sayTool) : undefined,
    tool_choice: sayChoice(request),
    text: orNothing({ format: sayFormat(request['response_format']), verbosity: request['verbosity'] }),
    reasoning: orNothing({ effort }),
    include: logprobs === true ? ['message.output_text.logprobs'] : undefined,
  })
}

/** How many of a request's messages are not in its `input`. */
export function instructionsOf({ messages }: JsonObject): number {
  return apart(messages as readonly JsonObject[]).instructions === undefined ? 0 : 1
}

function apart(messages: readonly JsonObject[]): {
  readonly instructions: string | undefined
  readonly others: readonly JsonObject[]
} {
  const [first, ...others] = messages
  const text = first?.['role'] === 'system' && others.length > 0 ? first['content'] : undefined
  if (typeof text !== 'string' || text === '') return { instructions: undefined, others: messages }
  onlyThese(first ?? {}, ['role', 'content'], 'of an instruction the field')
  return { instructions: text, others }
}

function sayFormat(wanted: Json | undefined): JsonObject | undefined {
  if (wanted === undefined || wanted === null) return undefined
  const { type, json_schema: described } = wanted as JsonObject
  if (type === 'text' || type === 'json_object') return { type }
  if (type !== 'json_schema') throw new CannotSay(`a format of type ${JSON.stringify(type)}`)
  return { type, ...(described as JsonObject) }
}

function orNothing(fields: Readonly<Record<string, Json | undefined>>): JsonObject | undefined {
  const said = compact(fields)
  return Object.keys(said).length > 0 ? said : undefined
}
