import { isJsonObject, type Json, type JsonObject, parseJson } from '../../src/core/json.ts'
import type { Got } from './differences.ts'
import { fieldOf } from './formats.ts'
import type { RecordedCall } from './recordedCall.ts'

/** What a caller of the provider's own format got otherwise than it was recorded, by kind; none: every value is the same. */
export function ownDifferences({ status, answer }: RecordedCall, got: Got): string[] {
  if (status >= 400 || got.status !== 200) return [`recorded ${status} → ${got.status}`]
  const recorded: Json[] =
    answer.kind === 'whole'
      ? [answer.body]
      : answer.events.flatMap((event) => ('data' in event ? [event.data] : []))
  const came = answer.kind === 'whole' ? [parseJson(got.text) ?? null] : dataOf(got.text)
  if (came.length !== recorded.length) return [`${recorded.length} events → ${came.length}`]
  return [
    ...new Set(recorded.flatMap((data, i) => changes(withoutNames(data), withoutNames(came[i] ?? null), ''))),
  ]
}

function dataOf(text: string): Json[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => parseJson(line.slice('data: '.length)) ?? line)
}

/** Id and model are the gateway's, and the whole of a message or response may be within an event. */
function withoutNames(data: Json): Json {
  if (!isJsonObject(data)) return data
  const { message, response, ...rest } = data
  return {
    ...without(rest, data['object'] === 'response' ? [...NAMES, ...REPEATED] : NAMES),
    ...(message !== undefined && { message: withoutNames(message) }),
    ...(response !== undefined && { response: withoutNames(response) }),
  }
}

const NAMES = ['id', 'model']
/** What a response repeats as its caller said it, and the recorded provider as it was sent. */
const REPEATED = [
  'store',
  'previous_response_id',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'max_output_tokens',
]

function without(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

function changes(recorded: Json, came: Json, path: string): string[] {
  if (Bun.deepEquals(recorded, came)) return []
  if (Array.isArray(recorded) && Array.isArray(came) && recorded.length === came.length)
    return recorded.flatMap((item, i) => changes(item as Json, came[i] as Json, `${path}[${i}]`))
  if (!isJsonObject(recorded) || !isJsonObject(came)) return [`${fieldOf(path) || 'an answer'} is other`]
  return namesOf(recorded, came).flatMap((name) => {
    const at = path === '' ? name : `${path}.${name}`
    const [before, after] = [recorded[name], came[name]]
    if (after === undefined) return [`${fieldOf(at)} is left out`]
    return before === undefined ? [`${fieldOf(at)} is added`] : changes(before, after, at)
  })
}

function namesOf(...objects: readonly JsonObject[]): string[] {
  return [...new Set(objects.flatMap((object) => Object.keys(object)))]
}
