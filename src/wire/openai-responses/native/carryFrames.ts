import type { AnswerEvent } from '../../../core/answer/event.ts'
import type { Frame } from '../../../core/answer/frame.ts'
import { type Json, type JsonObject, parseFrame } from '../../../core/json.ts'
import { editJson } from '../../../core/jsonText.ts'
import { type Carrier, cleanFrame, isWritten, silenced, withLast } from '../../carriedFrames.ts'
import { readObject, readObjects } from '../../read.ts'
import { isCallerRunCall } from '../callerRun.ts'
import { isNamed } from './answer.ts'
import { EVENT } from './answerShape.ts'
import { earlyEdits } from './earlyText.ts'
import { isShortLabel } from './frameTexts.ts'
import { uncountedText } from './uncountedText.ts'

/** Puts the frames of a stream on the events that they became. */
export function carryFrames(): Carrier {
  /** The last sign of life, which waits for an event: by itself it says nothing. */
  let ping: Frame | undefined
  let isBegun = false
  /** Its beginning says too much or too little: the gateway writes this answer in its own words. */
  let isForeign = false
  const uncounted = uncountedText()

  function carry(
    frame: Frame,
    json: JsonObject,
    type: string | undefined,
    events: AnswerEvent[],
  ): AnswerEvent[] {
    if (isForeign) return events
    const [event] = events
    // The usual frame, which holds nothing that could stay inside.
    if (ping === undefined && event?.type === 'delta' && events.length === 1 && isPlainDelta(frame, json)) {
      uncounted.piece(json)
      return [{ ...event, raw: [frame] }]
    }
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
        return pass(frame, json, type, events)
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
    return isForeign ? events : pass(frame, json, type, events)
  }

  function end(frame: Frame, json: JsonObject, type: string, events: AnswerEvent[]): AnswerEvent[] {
    const { response } = json
    const isReadable = isNamed(readObject(response)) && events.some((event) => event.type === 'finish')
    const passed = isReadable ? passedOn(frame, json, type, events) : undefined
    const written = events.map((event): AnswerEvent => {
      if (!isWritten(event)) return event
      if (event.type !== 'finish') return { ...event, raw: [] }
      return passed ? { ...event, raw: passed.raw } : event
    })
    return [...(passed?.beside ?? []), ...written]
  }

  /** Passes a frame on with its last event, or with what its events do not count. */
  function pass(
    frame: Frame,
    json: JsonObject,
    type: string | undefined,
    events: AnswerEvent[],
  ): AnswerEvent[] {
    const { raw, beside } = passedOn(frame, json, type, events)
    // The first event of an answer is its start.
    return withLast(events[0]?.type === 'start' ? [...events, ...beside] : [...beside, ...events], raw)
  }

  function passedOn(
    frame: Frame,
    json: JsonObject,
    type: string | undefined,
    events: readonly AnswerEvent[],
  ): { readonly raw: readonly Frame[]; readonly beside: readonly AnswerEvent[] } {
    const cleaned = cleanFrame(frame, json, type, EVENT)
    const data = editJson(cleaned.data, earlyEdits(json, type))
    const text = uncounted.in(data === frame.data ? json : (parseFrame(data) as JsonObject), type, events)
    const raw = [...(ping ? [ping] : []), { event: cleaned.event, data }]
    ping = undefined
    return { raw, beside: text === '' ? [] : [besideEvent(text, isCallerRun(json, type))] }
  }

  return { carry, close: (events) => (isForeign || !isBegun ? events : silenced(events)) }
}

/** Counts text of a frame that has no field in the canonical language. The caller waits for a call: in a delta it is content. */
function besideEvent(text: string, isCall: boolean): AnswerEvent {
  const beside = { type: 'delta', index: 0, raw: [] } as const
  return isCall
    ? { ...beside, delta: { other_call: { text } } }
    : { ...beside, delta: {}, choiceExtra: { text } }
}

/** A call of a tool that the caller runs, and the vendor defines. */
function isCallerRun(json: JsonObject, type: string | undefined): boolean {
  const item = readObject(json.item)
  return CALLER_RUN_EVENTS.test(type ?? '') || (item !== undefined && isCallerRunCall(item))
}

const CALLER_RUN_EVENTS = /^response\.(?:local_shell|shell|apply_patch)_call_/

/** A piece of text, of reasoning or of arguments, and nothing beside. */
function isPlainDelta({ event }: Frame, json: JsonObject): boolean {
  if (event === undefined || json.type !== event || typeof json.delta !== 'string') return false
  for (const name in json) if (!PLAIN.has(name) || !isPlain(json[name], name)) return false
  return true
}

const PLAIN: ReadonlySet<string> = new Set(
  `type sequence_number item_id output_index content_index summary_index delta logprobs obfuscation`.split(
    ' ',
  ),
)

function isPlain(value: Json | undefined, name: string): boolean {
  if (typeof value === 'string') return name === 'delta' || isShortLabel(value)
  return typeof value !== 'object' || value === null || (Array.isArray(value) && value.length === 0)
}

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
