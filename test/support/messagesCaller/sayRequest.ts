import type { Json, JsonObject } from '../../../src/core/json.ts'
import { CannotSay, onlyThese } from '../callers/cannotSay.ts'
import { compact } from '../callers/compact.ts'
import { sayMessages } from './sayMessages.ts'

/** Of fields that have another name here, or are part of another field. */
const SAID = [
  'model',
  'messages',
  'stream',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'stop',
  'user',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning_effort',
  'response_format',
] as const

/** https://platform.claude.com/docs/en/build-with-claude/effort */
const EFFORTS: readonly Json[] = ['low', 'medium', 'high', 'xhigh', 'max']

/**
 * A chat completion request as a caller of Messages writes it by Anthropic's documents, not with the code of `src`. Throws
 * `CannotSay`.
 *
 * @param limit what is sent as `max_tokens`, which the format requires, where the request has no limit
 */
export function sayRequest(request: JsonObject, limit: number): JsonObject {
  onlyThese(request, SAID, 'the field')
  const { messages, temperature, top_p: topP, stop, user, tools } = request
  if (typeof temperature === 'number' && temperature > 1) throw new CannotSay('a temperature above 1')
  return compact({
    model: request['model'],
    max_tokens: request['max_completion_tokens'] ?? request['max_tokens'] ?? limit,
    ...sayMessages(messages as readonly JsonObject[]),
    stream: request['stream'],
    temperature,
    top_p: topP,
    stop_sequences: typeof stop === 'string' ? [stop] : stop,
    metadata: user === undefined || user === null ? undefined : { user_id: user },
    tools: Array.isArray(tools) ? (tools as readonly JsonObject[]).map(sayTool) : undefined,
    tool_choice: sayChoice(request),
    ...sayThinking(request),
  })
}

function sayTool({ type, function: called, cache_control: cache, ...others }: JsonObject): JsonObject {
  if (type !== 'function') throw new CannotSay(`a tool of type ${JSON.stringify(type)}`)
  onlyThese(others, [], 'of a tool the field')
  const { name, description, parameters, strict, ...more } = called as JsonObject
  onlyThese(more, [], 'of a function the field')
  return compact({
    name,
    description,
    input_schema: parameters ?? { type: 'object', properties: {} },
    strict,
    cache_control: cache,
  })
}

/** Whether calls come one by one is part of the choice. */
function sayChoice({
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: JsonObject): JsonObject | undefined {
  const single = parallel === false ? { disable_parallel_tool_use: true } : {}
  switch (choice) {
    case undefined:
    case null:
      return parallel === false ? { type: 'auto', ...single } : undefined
    case 'auto':
      return { type: 'auto', ...single }
    case 'required':
      return { type: 'any', ...single }
    case 'none':
      if (parallel === false) throw new CannotSay('a choice of no tool, one by one')
      return { type: 'none' }
    default: {
      const { type, function: called } = choice as JsonObject
      if (type !== 'function') throw new CannotSay(`a choice of type ${JSON.stringify(type)}`)
      return { type: 'tool', name: (called as JsonObject)['name'] ?? null, ...single }
    }
  }
}

function sayThinking({ reasoning_effort: effort, response_format: wanted }: JsonObject): JsonObject {
  const format = sayFormat(wanted)
  if (effort === 'none')
    return compact({ thinking: { type: 'disabled' }, output_config: format && { format } })
  if (effort === undefined || effort === null) return compact({ output_config: format && { format } })
  if (!EFFORTS.includes(effort)) throw new CannotSay(`the effort ${JSON.stringify(effort)}`)
  return { thinking: { type: 'adaptive' }, output_config: compact({ effort, format }) }
}

function sayFormat(wanted: Json | undefined): JsonObject | undefined {
  if (wanted === undefined || wanted === null) return undefined
  const { type, json_schema: described } = wanted as JsonObject
  if (type === 'text') return undefined
  if (type !== 'json_schema') throw new CannotSay(`a format of type ${JSON.stringify(type)}`)
  const { schema, description } = described as JsonObject
  if (schema === undefined) throw new CannotSay('a format without a schema')
  if (typeof description === 'string') throw new CannotSay('the description of a format')
  return { type: 'json_schema', schema }
}
