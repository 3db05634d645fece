import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { parseExactly } from '../../src/core/exactNumber.ts'
import type { CallerFormatId } from './formats.ts'

/** One recorded call of a provider, with the format that it speaks. */
export interface RecordedCall {
  /** Its path below the folder. */
  readonly file: string
  readonly format: CallerFormatId
  /** The vendor: the id of a provider's row, or a word of its own. */
  readonly provider: string
  /** Undefined: only the answer was recorded. */
  readonly request: JsonObject | undefined
  readonly status: number
  readonly answer: RecordedAnswer
}

export type RecordedAnswer =
  | { readonly kind: 'whole'; readonly body: Json }
  | { readonly kind: 'streamed'; readonly events: readonly RecordedEvent[] }

/** An event of a stream, or a comment between two. */
export type RecordedEvent = { readonly event?: string; readonly data: Json } | { readonly comment: string }

/** What a folder holds: calls of formats that the gateway speaks, and how many of others there are, by path. */
export interface Recorded {
  readonly calls: readonly RecordedCall[]
  readonly others: ReadonlyMap<string, number>
  /** A line for each file that holds no call, with what is wrong with it. */
  readonly malformed: readonly string[]
}

/** The end of a path, and the format that is spoken there. */
const FORMAT_OF_PATH: Readonly<Record<string, CallerFormatId>> = {
  '/chat/completions': 'openai-chat',
  '/messages': 'anthropic-messages',
  '/responses': 'openai-responses',
}

/** A file that holds no call: by its name, and what is wrong with it. */
class MalformedRecord extends Error {}

/** Reads every `.json` file below a folder. */
export async function readRecorded(folder: string): Promise<Recorded> {
  const calls: RecordedCall[] = []
  const others = new Map<string, number>()
  const malformed: string[] = []
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).toSorted()) {
    const file = relative(folder, path)
    const record = recordIn(file, await Bun.file(path).text())
    if (record instanceof MalformedRecord) malformed.push(record.message)
    else if (typeof record !== 'string') calls.push(record)
    else others.set(record, (others.get(record) ?? 0) + 1)
  }
  return { calls, others, malformed }
}

function recordIn(file: string, text: string): RecordedCall | string | MalformedRecord {
  try {
    return parseRecord(file, text)
  } catch (error) {
    if (error instanceof MalformedRecord) return error
    throw error
  }
}

/** A call; or, where the gateway does not speak its format, its method and path. Throws for a file that holds none. */
export function parseRecord(file: string, text: string): RecordedCall | string {
  const wrong = (what: string) => new MalformedRecord(`${file}: ${what}`)
  let record: unknown
  try {
    record = parseExactly(text)
  } catch (cause) {
    throw new MalformedRecord(`${file}: is not JSON`, { cause })
  }
  if (!isJsonObject(record)) throw wrong('is not a JSON object')
  const { method = 'POST', path, provider = '', request, status, response, events } = record
  if (typeof path !== 'string') throw wrong('"path" is not a string')
  if (typeof method !== 'string') throw wrong('"method" is not a string')
  const ending = Object.keys(FORMAT_OF_PATH).find((end) => path.endsWith(end))
  const format = FORMAT_OF_PATH[ending ?? '']
  if (method !== 'POST' || !format) return `${method} ${path}`
  if (typeof provider !== 'string') throw wrong('"provider" is not a string')
  if (typeof status !== 'number' || !Number.isInteger(status)) throw wrong('"status" is not an integer')
  if (request !== undefined && request !== null && !isJsonObject(request))
    throw wrong('"request" is not an object')
  return {
    file,
    format,
    provider,
    request: request ?? undefined,
    status,
    answer: answerOf(response, events, wrong),
  }
}

function answerOf(
  response: Json | undefined,
  events: Json | undefined,
  wrong: (what: string) => Error,
): RecordedAnswer {
  if (response !== undefined) return { kind: 'whole', body: response }
  if (!Array.isArray(events)) throw wrong('has neither "response" nor a list of "events"')
  const all = events as readonly Json[]
  return { kind: 'streamed', events: all.map((event, i) => eventOf(event, `events[${i}]`, wrong)) }
}

function eventOf(value: Json, path: string, wrong: (what: string) => Error): RecordedEvent {
  if (!isJsonObject(value)) throw wrong(`"${path}" is not an object`)
  const { event, data, comment } = value
  if (typeof comment === 'string') return { comment }
  if (data === undefined) throw wrong(`"${path}" has neither "data" nor "comment"`)
  return typeof event === 'string' ? { event, data } : { data }
}
