import { isJsonObject, type Json, type JsonObject, parseJson } from '../../src/core/json.ts'
import type { RecordedCall } from './recordedCall.ts'
import type { CallerFormatId } from './formats.ts'
import { type Failed, type Said, saidBy, saidIn } from './said.ts'

/** What the caller of one play got. */
export interface Got {
  readonly status: number
  /** The whole body. */
  readonly text: string
  /** Whether it is as `/openapi.json` describes it. */
  readonly isValid: boolean
  /** The names of what was left out of the request. */
  readonly dropped: readonly string[]
}

/** The kinds of differences between a recorded answer and what the caller got; none: it is the same. */
/** @param format of the caller. Default: chat completions. */
export function answerDifferences(
  call: RecordedCall,
  got: Got,
  format: CallerFormatId = 'openai-chat',
): string[] {
  const kinds = saidOtherwise(call, got, format)
  return got.isValid ? kinds : [...kinds, 'not as /openapi.json describes it']
}

function saidOtherwise({ format, status, answer }: RecordedCall, got: Got, spoken: CallerFormatId): string[] {
  const recorded: Said | Failed = status >= 400 ? { failed: `${status}` } : saidBy(format, answer)
  const came = saidInAnswer(got, spoken)
  if ('failed' in recorded) {
    // Which status the gateway makes of a failure is for a reader to judge.
    return [
      `recorded failure ${recorded.failed} → ${'failed' in came ? `${got.status} ${came.failed}` : 'an answer'}`,
    ]
  }
  if ('failed' in came) return [`an answer → ${got.status} ${came.failed}`]
  return saidDifferences(recorded, came)
}

function saidDifferences(recorded: Said, came: Said): string[] {
  const kinds: string[] = []
  if (recorded.choices.length !== came.choices.length) kinds.push('how many choices')
  for (const [i, choice] of recorded.choices.entries()) {
    const other = came.choices[i]
    if (!other) continue
    if (choice.text !== other.text) kinds.push('text')
    if (choice.thought !== other.thought) kinds.push('reasoning')
    if (choice.refusal !== other.refusal) kinds.push('refusal')
    if (!Bun.deepEquals(choice.calls, other.calls)) kinds.push('tool calls')
    if (choice.finish !== other.finish)
      kinds.push(`finish reason: ${choice.finish || 'none'} → ${other.finish || 'none'}`)
  }
  if (recorded.usage && !Bun.deepEquals(recorded.usage, came.usage)) kinds.push('usage')
  return [...new Set(kinds)]
}

/** What an answer of the gateway says, whole or streamed. */
export function saidInAnswer(
  { status, text }: Pick<Got, 'status' | 'text'>,
  format: CallerFormatId = 'openai-chat',
): Said | Failed {
  const whole = parseJson(text)
  if (whole !== undefined) return saidIn(format, [whole])
  const lines = text.split('\n').filter((line) => line.startsWith('data: '))
  const events = lines.map((line) => line.slice('data: '.length))
  const said = saidIn(
    format,
    events.map((event) => parseJson(event) ?? null),
  )
  if (!('failed' in said) && (status !== 200 || !LAST[format].test(events.at(-1) ?? '')))
    return { failed: 'a cut stream' }
  return said
}

/** The last event of a whole stream. */
const LAST: Readonly<Record<CallerFormatId, RegExp>> = {
  'openai-chat': /^\[DONE\]$/,
  'anthropic-messages': /"type":"message_stop"/,
  'openai-responses': /"type":"response\.(?:completed|incomplete)"/,
}

/** Fields that are the gateway's own affair: whose model it is, how the answer comes, and how long it may be. */
const OWN_FIELDS = new Set([
  'model',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'n',
])

/** Top-level fields in which the provider was not sent what the recorded client sent. */
export function requestDifferences(recorded: JsonObject, received: JsonObject): string[] {
  const names = new Set([...Object.keys(recorded), ...Object.keys(received)])
  return [...names].flatMap((name) => {
    if (OWN_FIELDS.has(name) || Bun.deepEquals(plain(recorded[name], name), plain(received[name], name)))
      return []
    if (received[name] === undefined) return [`${name} is left out`]
    return [recorded[name] === undefined ? `${name} is added` : `${name} is other`]
  })
}

/** Without what says nothing (null, empty lists and objects), and each text as its one part. */
function plain(value: Json | undefined, name = ''): Json | undefined {
  if (value === null) return undefined
  if (typeof value === 'string' && TEXT_OR_PARTS.has(name)) return [{ type: 'text', text: value }]
  if (Array.isArray(value))
    return value.length === 0 ? undefined : (value as readonly Json[]).map((item) => plain(item) ?? null)
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).flatMap(([field, inner]) => {
    const said = plain(inner, field)
    return said === undefined ? [] : [[field, said]]
  })
  return fields.length === 0 ? undefined : (Object.fromEntries(fields) as JsonObject)
}

/** Fields that take a text, or a list of parts. */
const TEXT_OR_PARTS = new Set(['content', 'system'])
