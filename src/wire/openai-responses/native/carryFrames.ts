import type { AnswerEvent, Delta } from '../../../core/answer/event.ts'
import type { Frame } from '../../../core/answer/frame.ts'
import { forEachGenerated } from '../../../core/answer/generatedText.ts'
import type { JsonObject } from '../../../core/json.ts'
import { type Carrier, cleanFrame, isWritten, silenced, unknownOf, withLast } from '../../carriedFrames.ts'
import { readNumber, readObject, readObjects } from '../../read.ts'
import { isCallerRunCall } from '../callerRun.ts'
import { isNamed } from './answer.ts'
import { EVENT, RESPONSE } from './answerShape.ts'

/** Puts the frames of a stream on the events that they became. */
export function carryFrames(): Carrier {
  /** The last sign of life, which waits for an event: by itself it says nothing. */
  let ping: Frame | undefined
  let isBegun = false
  /** Its beginning says too much or too little: the gateway writes this answer in its own words. */
  let isForeign = false
  const beside = createBeside()

  function carry(
    frame: Frame,
    json: JsonObject,
    type: string | undefined,
    events: AnswerEvent[],
  ): AnswerEvent[] {
    if (isForeign) return events
    const [event] = events
    // The usual frame, which holds nothing that could stay inside.
    if (ping === undefined && event?.type === 'delta' && events.length === 1 && isPlainDelta(frame, json))
      return [{ ...event, raw: [frame] }]
    if (!isBegun) return begin(frame, json, type, events)
    if (events.some((event) => event.type === 'error')) return silenced(events)
    switch (type) {
      case 'ping':
      case 'keepalive':
        if (isSilent(json)) ping = { event: type, data: frame.data }
        return events
      case 'response.created':
        // Some providers begin a response twice.
        return silenced(events)
      case 'response.completed':
      case 'response.incomplete':
        return end(frame, json, type, events)
      default:
        return withLast(events, passed(frame, json, type), beside.ofEvent(json, type))
    }
  }

  function begin(
    frame: Frame,
    json: JsonObject,
    type: string | undefined,
    events: AnswerEvent[],
  ): AnswerEvent[] {
    // What comes before the beginning is not passed on.
    if (events.every((event) => event.type !== 'start')) return events
    isBegun = true
    isForeign = events.length > 1 || !isBeginning(json, type)
    return isForeign ? events : withLast(events, passed(frame, json, type), {})
  }

  function end(frame: Frame, json: JsonObject, type: string, events: AnswerEvent[]): AnswerEvent[] {
    const { response } = json
    const isReadable = isNamed(readObject(response)) && events.some((event) => event.type === 'finish')
    const raw = isReadable ? passed(frame, json, type) : undefined
    const counted = beside.ofEnd(json).map((choiceExtra): AnswerEvent => {
      return { type: 'delta', index: 0, delta: {}, choiceExtra, raw: [] }
    })
    const written = events.map((event): AnswerEvent => {
      if (!isWritten(event)) return event
      if (event.type !== 'finish') return { ...event, raw: [] }
      return raw ? { ...event, raw } : event
    })
    return [...counted, ...written]
  }

  function passed(frame: Frame, json: JsonObject, type: string | undefined): readonly Frame[] {
    const cleaned = cleanFrame(frame, json, type, EVENT)
    const raw = ping ? [ping, cleaned] : [cleaned]
    ping = undefined
    return raw
  }

  return { carry, close: (events) => (isForeign || !isBegun ? events : silenced(events)) }
}

/** A piece of text, of reasoning or of arguments, and nothing beside. */
function isPlainDelta({ event }: Frame, json: JsonObject): boolean {
  if (event === undefined || json.type !== event || typeof json.delta !== 'string') return false
  for (const name in json) if (!PLAIN.has(name)) return false
  return true
}

const PLAIN: ReadonlySet<string> = new Set(
  `type sequence_number item_id output_index content_index summary_index delta logprobs obfuscation`.split(
    ' ',
  ),
)

/** More than that is not a sign of life of this format. */
function isSilent(json: JsonObject): boolean {
  for (const name in json) if (name !== 'type' && name !== 'sequence_number') return false
  return true
}

const BEGINNINGS: ReadonlySet<string | undefined> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
])

/** The beginning of a response says nothing yet. */
function isBeginning({ response: value }: JsonObject, type: string | undefined): boolean {
  const response = readObject(value)
  return BEGINNINGS.has(type) && isNamed(response) && readObjects(response.output).length === 0
}

/** What has no field in the canonical language is counted all the same. */
interface Beside {
  ofEvent(
    json: JsonObject,
    type: string | undefined,
  ): { readonly choiceExtra?: JsonObject; readonly delta?: Delta }
  /** Of the last event: unknown fields, and items that did not come before. */
  ofEnd(json: JsonObject): readonly JsonObject[]
}

/** The same text comes in pieces, in the end of its item, and in the last event: it is counted once. */
function createBeside(): Beside {
  /** By the places of items: how much of them was counted. */
  const lengths = new Map<number, number>()

  function take(place: number, said: JsonObject, isPiece: boolean): boolean {
    const before = lengths.get(place) ?? 0
    const length = generatedLength(said)
    if (length === 0 || (!isPiece && length <= before)) return false
    lengths.set(place, before + length)
    return true
  }

  return {
    ofEvent(json, type) {
      if (MODELLED_EVENTS.test(type ?? '')) return {}
      const item = readObject(json.item)
      if (item && MODELLED_ITEMS.has(item.type)) return {}
      const place = readNumber(json.output_index) ?? -1
      const isPiece = place === -1 || type?.endsWith('.delta') === true
      if (!take(place, json, isPiece)) return {}
      // The caller waits for it, as for every call: in a delta it is content.
      const isCall = CALLER_RUN_EVENTS.test(type ?? '') || (item !== undefined && isCallerRunCall(item))
      return isCall ? { delta: { other_call: json } } : { choiceExtra: json }
    },
    ofEnd(json) {
      const response = readObject(json.response) ?? {}
      const unknown = { ...unknownOf(json, EVENT), ...unknownOf(response, RESPONSE) }
      const items = readObjects(response.output).filter(
        (item, place) => !MODELLED_ITEMS.has(item.type) && take(place, item, false),
      )
      return Object.keys(unknown).length > 0 ? [unknown, ...items] : items
    },
  }
}

function generatedLength(said: JsonObject): number {
  let length = 0
  forEachGenerated({}, (text) => (length += text.length), said)
  return length
}

/** Events of texts, reasoning and calls, and those that say how far an answer has come. */
const MODELLED_EVENTS =
  /^(?:ping|keepalive|response\.(?:queued|in_progress|output_text\..+|content_part\..+|refusal\..+|reasoning_(?:summary_)?(?:text|part)\..+|function_call_arguments\..+|custom_tool_call_input\..+))$/

const CALLER_RUN_EVENTS = /^response\.(?:local_shell|shell|apply_patch)_call_/

const MODELLED_ITEMS: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
])
