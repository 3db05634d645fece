import type { Json, JsonObject } from '../../core/json.ts'
import { readObject } from '../read.ts'
import type { CallersNames } from '../wire.ts'
import { LOGPROBS } from './include.ts'
import { type MessagePlace, messagePlaces } from './messagePlaces.ts'
import { givenTools } from './additionalTools.ts'

/** A field, the position in its list, and what is within. */
const PATH = /^([a-z_]+)(?:\[(\d+)\])?(.*)$/s

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['text', 'input_text'],
  ['image_url', 'input_image'],
  ['file', 'input_file'],
])

/** Fields that are called otherwise here. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'max_output_tokens'],
  ['max_tokens', 'max_output_tokens'],
  ['reasoning_effort', 'reasoning.effort'],
  ['verbosity', 'text.verbosity'],
])

/** Names what the canonical request holds by the body that it was decoded from (`decodeRequest`). */
export function callersNames(json: Json): CallersNames {
  const body = readObject(json) ?? {}
  let places: readonly MessagePlace[] | undefined
  return {
    path(path) {
      const [, field = '', position, within = ''] = PATH.exec(path) ?? []
      switch (field) {
        case 'messages':
          if (position === undefined) return `input${FIELDS_OF_MESSAGES.get(within) ?? within}`
          places ??= messagePlaces(body)
          return places[Number(position)]?.path(within) ?? 'input'
        case 'tools':
          return position === undefined
            ? `tools${withinTool(within)}`
            : pathOfTool(Number(position), within, body)
        case 'tool_choice':
          return `tool_choice${within.replace(/^\.allowed_tools/, '').replace(/\.(?:function|custom)\b/, '')}`
        case 'response_format':
          return `text.format${within.replace(/^\.json_schema/, '')}`
        case 'logprobs':
          return pathOfLogprobs(body)
        default:
          return position === undefined && within === '' ? (FIELDS.get(field) ?? path) : path
      }
    },
    contentType: (type) => CONTENT_TYPES.get(type) ?? type,
  }
}

function pathOfLogprobs({ include }: JsonObject): string {
  const place = Array.isArray(include) ? include.indexOf(LOGPROBS) : -1
  return place < 0 ? 'include' : `include[${place}]`
}

/** Fields of messages, wherever they are, as they are named when they are left out. */
const FIELDS_OF_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['.reasoning_details', '[reasoning]'],
  ['.reasoning_content', '[reasoning]'],
  ['.tool_calls', '[function_call]'],
  ['.tool_call_id', '.call_id'],
  ['.refusal', '.content.refusal'],
  ['.content.file.filename', '.content.filename'],
  ['.content.image_url.detail', '.content.detail'],
])

/** Some tools of the body are left out of the request, and some are in its input. */
function pathOfTool(position: number, within: string, body: JsonObject): string {
  const param = givenTools(body)[position]?.param
  return param === undefined ? 'tools' : param + withinTool(within)
}

function withinTool(within: string): string {
  return within.replace(/^\.(?:function|custom)\b/, '').replace(/^\.format\.grammar/, '.format')
}
