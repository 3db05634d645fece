import type { Json, JsonObject } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'
import { readObject, readObjects } from '../read.ts'
import type { CallersNames } from '../wire.ts'
import { type MessagePlace, messagePlaces } from './messagePlaces.ts'
import { isEffortOf } from './reasoningEffort.ts'
import { vendorToolOf } from './vendorTools.ts'

/** A field, the position in its list, and what is within. */
const PATH = /^([a-z_]+)(?:\[(\d+)\])?(.*)$/s

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['image_url', 'image'],
  ['file', 'document'],
])

/** Names what the canonical request holds by the body that it was decoded from (`decodeRequest`). */
export function callersNames(json: Json): CallersNames {
  const body = readObject(json) ?? {}
  let places: readonly MessagePlace[] | undefined
  return {
    path(path) {
      const [, field, position, within = ''] = PATH.exec(path) ?? []
      switch (field) {
        case 'messages':
          if (position === undefined) return `messages${fieldOfMessages(within, body)}`
          places ??= messagePlaces(body)
          return places[Number(position)]?.path(within) ?? 'messages'
        case 'tools':
          return position === undefined
            ? `tools${withinTool(within)}`
            : pathOfTool(Number(position), within, body)
        case 'tool_choice':
          return `tool_choice${within.replace(/^\.function/, '')}`
        case 'parallel_tool_calls':
          return 'tool_choice.disable_parallel_tool_use'
        case 'response_format':
          return `output_config.format${withinFormat(within)}`
        case 'reasoning_effort':
          return isEffortOf(body) ? 'output_config.effort' : 'thinking'
        case 'stop':
          return path.replace('stop', 'stop_sequences')
        case 'user':
        case 'safety_identifier':
          return 'metadata.user_id'
        case 'max_completion_tokens':
          return 'max_tokens'
        default:
          return path
      }
    },
    contentType: (type) => CONTENT_TYPES.get(type) ?? type,
  }
}

/** Fields of messages, wherever they are, as they are named when they are left out. */
const FIELDS_OF_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['.is_error', '.content.is_error'],
  ['.cache_control', '.content.cache_control'],
  ['.tool_call_id', '.content.tool_use_id'],
  ['.tool_calls', '.content[tool_use]'],
  ['.content.file.filename', '.content.title'],
  ['.content.image_url.detail', '.content.source'],
])

function fieldOfMessages(within: string, body: JsonObject): string {
  if (within !== '.reasoning_details' && within !== '.reasoning_content')
    return FIELDS_OF_MESSAGES.get(within) ?? within
  const thinks = readObjects(body.messages)
    .flatMap(({ content }) => readObjects(content))
    .some(({ type }) => type === 'thinking')
  return thinks ? '.content[thinking]' : '.content[redacted_thinking]'
}

/** Some tools of the body are left out of the request. */
function pathOfTool(position: number, within: string, { tools }: JsonObject): string {
  const given = Array.isArray(tools) ? [...tools.entries()] : []
  const [at] =
    given.filter(([, tool]) => isJsonObject(tool) && vendorToolOf(tool) === undefined)[position] ?? []
  return at === undefined ? 'tools' : `tools[${at}]${withinTool(within)}`
}

function withinTool(within: string): string {
  return within.replace(/^\.function/, '').replace(/^\.parameters/, '.input_schema')
}

/** Of a schema's name and the like the caller wrote nothing. */
function withinFormat(within: string): string {
  if (!within.startsWith('.json_schema')) return within
  const inSchema = within.slice('.json_schema'.length)
  return inSchema.startsWith('.schema') ? inSchema : ''
}
