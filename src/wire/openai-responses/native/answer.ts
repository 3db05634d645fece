import type { Frame } from '../../../core/answer/frame.ts'
import { parseExactly } from '../../../core/exactNumber.ts'
import { type Json, type JsonObject, isJsonObject } from '../../../core/json.ts'
import { type JsonEdit, editJson } from '../../../core/jsonText.ts'
import type { Usage } from '../../../core/usage.ts'
import { insideEdits } from '../../inside.ts'
import { readNumber, readObject, readText } from '../../read.ts'
import type { Envelope } from '../../wire.ts'
import { encodeUsage } from '../encodeUsage.ts'
import { RESPONSE } from './answerShape.ts'

/** Clients of the format read the usage without asking: an answer without it is written by the gateway. */
export function passAnswer(text: string, answer: JsonObject): string | undefined {
  if (!isNamed(answer) || !isCounted(answer) || !Array.isArray(answer.output)) return undefined
  return editJson(text, insideEdits(answer, RESPONSE))
}

/** With what is the caller's own: id, model, and what it asked for where the gateway asked otherwise. */
export function writeAnswer(raw: string, envelope: Envelope): string {
  return editJson(raw, callersEdits(envelope))
}

/** The same for an event that has a whole response. */
export function writeState(data: string, envelope: Envelope): string {
  return editJson(data, callersEdits(envelope, 'response'))
}

/** The last event of a stream, with the usage that is charged where its provider reports none. */
export function writeEnd(data: string, envelope: Envelope, usage: Usage | undefined): string {
  const state = writeState(data, envelope)
  const json = parse(state)
  const response = readObject(json?.response)
  if (!json || !response || isCounted(response)) return state
  return JSON.stringify({ ...json, response: { ...response, usage: encodeUsage(usage) } })
}

export function isCounted(response: JsonObject): boolean {
  return readNumber(readObject(response.usage)?.output_tokens) !== undefined
}

/** The gateway's id takes the place of one: without any a client could not read the answer. */
export function isNamed(response: JsonObject | undefined): response is JsonObject {
  return readText(response?.id) !== undefined
}

/** The last event of a stream has the whole response; some servers leave its items out. */
export function gather(frames: readonly Frame[]): string | undefined {
  const last = frames.findLast(({ event }) => event !== undefined && ENDS.has(event))
  const response = readObject(parse(last?.data)?.response)
  if (!response || !isCounted(response)) return undefined
  const output = readList(response.output) ?? []
  return JSON.stringify(output.length > 0 ? response : { ...response, output: itemsIn(frames) })
}

const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete'])

function itemsIn(frames: readonly Frame[]): readonly Json[] {
  return frames.flatMap(({ event, data }) => {
    const item = event === 'response.output_item.done' ? readObject(parse(data)?.item) : undefined
    return item === undefined ? [] : [item]
  })
}

/** Some of these fields are in no answer: those change nothing. */
function callersEdits(
  { id, model, kept = false, requestBody = {} }: Envelope,
  ...path: string[]
): JsonEdit[] {
  const { metadata } = requestBody
  const own: Record<string, Json> = { id, model, store: kept }
  for (const name of REPEATED) own[name] = requestBody[name] ?? null
  // A name of a user in it went out as the workspace's own.
  if (isJsonObject(metadata) && metadata.user_id !== undefined) own.metadata = metadata
  return Object.entries(own).map(([name, value]) => ({ path: [...path, name], json: JSON.stringify(value) }))
}

/** What answers repeat of a request and the gateway sent otherwise. */
const REPEATED = [
  'previous_response_id',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'max_output_tokens',
] as const

function parse(data: string | undefined): JsonObject | undefined {
  return data === undefined ? undefined : readObject(parseExactly(data))
}

function readList(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? (value as readonly Json[]) : undefined
}
