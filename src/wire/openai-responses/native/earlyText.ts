import { type Json, type JsonObject, isJsonObject } from '../../../core/json.ts'
import type { JsonEdit } from '../../../core/jsonText.ts'
import { readObject } from '../../read.ts'

/**
 * The changes that empty what has only begun: a provider repeats the text of an item or a part in its pieces and at its end,
 * where it is counted before it is passed on.
 */
export function earlyEdits(json: JsonObject, type: string | undefined): readonly JsonEdit[] {
  switch (type) {
    case 'response.output_item.added':
      return emptied(readObject(json.item), 'item', EMPTY_IN_ITEM)
    case 'response.content_part.added':
    case 'response.reasoning_summary_part.added':
      return emptied(readObject(json.part), 'part', EMPTY_IN_PART)
    case 'response.created':
    case 'response.queued':
    case 'response.in_progress':
      return emptied(readObject(json.response), 'response', EMPTY_IN_RESPONSE)
    default:
      return []
  }
}

type Empty = Readonly<Record<string, '""' | '[]'>>

const EMPTY_IN_ITEM: ReadonlyMap<unknown, Empty> = new Map<unknown, Empty>([
  ['message', { content: '[]' }],
  ['reasoning', { summary: '[]', content: '[]' }],
  ['function_call', { arguments: '""' }],
  ['custom_tool_call', { input: '""' }],
])
const TEXT: Empty = { text: '""', annotations: '[]', logprobs: '[]' }
const EMPTY_IN_PART: ReadonlyMap<unknown, Empty> = new Map<unknown, Empty>([
  ['output_text', TEXT],
  ['summary_text', TEXT],
  ['reasoning_text', TEXT],
  ['refusal', { refusal: '""' }],
])
const EMPTY_IN_RESPONSE: ReadonlyMap<unknown, Empty> = new Map<unknown, Empty>([
  [undefined, { output: '[]', output_text: '""' }],
])

/** Of an object of a kind that begins empty. */
function emptied(
  object: JsonObject | undefined,
  holder: string,
  kinds: ReadonlyMap<unknown, Empty>,
): JsonEdit[] {
  const empty = kinds.get(object?.type)
  if (!object || !empty) return []
  return Object.entries(empty).flatMap(([name, json]) =>
    saysNothing(object[name]) ? [] : [{ path: [holder, name], json }],
  )
}

function saysNothing(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0
}
