import type { AnswerEvent } from '../../../core/answer/event.ts'
import type { Frame } from '../../../core/answer/frame.ts'
import type { JsonObject } from '../../../core/json.ts'
import { editJson } from '../../../core/jsonText.ts'
import { insideEdits } from '../../inside.ts'
import { readNumber, readObject, readText } from '../../read.ts'
import { EVENT } from './answerShape.ts'

/** What a frame is passed on with: its events, of which the last that is written for the caller has it. */
export interface Carrier {
  carry(frame: Frame, json: JsonObject, type: string | undefined, events: AnswerEvent[]): AnswerEvent[]
  /** The events of an end that came without the format's last frame: the caller gets the end in the gateway's words. */
  close(events: AnswerEvent[]): AnswerEvent[]
}

/** Puts the frames of a stream on the events that they became. */
export function carryFrames(): Carrier {
  /** Pings, which wait for an event: by themselves they say nothing. */
  let waiting: Frame[] = []
  /** What ends the answer is passed on when it is settled. */
  const ending: Frame[] = []
  /** The end has the usage, which clients read without asking. */
  let counted = false
  /** Its beginning has none: the gateway writes this answer in its own words. */
  let foreign = false

  function carry(
    frame: Frame,
    json: JsonObject,
    type: string | undefined,
    events: AnswerEvent[],
  ): AnswerEvent[] {
    if (foreign) return events
    switch (type) {
      case 'ping':
        waiting.push({ event: type, data: frame.data })
        return events
      case 'error':
        return events
      case 'message_start':
        // Some providers begin a message twice, and some too late.
        if (events.every((event) => event.type !== 'start')) return silenced(events)
        foreign = !isCounted(readObject(json.message))
        return foreign ? events : carried(events, frame, json, type)
      case 'message_delta':
        counted ||= isCounted(json)
        ending.push(clean(json, type, frame))
        return silenced(events)
      case 'message_stop':
        ending.push(clean(json, type, frame))
        return events.map((event) => {
          if (!isWritten(event)) return event
          if (event.type !== 'finish') return { ...event, raw: [] }
          return counted ? { ...event, raw: [...waiting, ...ending] } : event
        })
      default:
        return carried(events, frame, json, type)
    }
  }

  function carried(
    events: AnswerEvent[],
    frame: Frame,
    json: JsonObject,
    type: string | undefined,
  ): AnswerEvent[] {
    const cleaned = clean(json, type, frame)
    const raw = waiting.length === 0 ? [cleaned] : [...waiting, cleaned]
    waiting = []
    return withLast(events, raw, json)
  }

  return { carry, close: (events) => (foreign ? events : silenced(events)) }
}

/** The usage that clients of the format read without asking. */
export function isCounted(message: JsonObject | undefined): boolean {
  return readNumber(readObject(message?.usage)?.output_tokens) !== undefined
}

/** The frame without what stays inside, under the name of its type: imitators of the format leave it out. */
function clean(json: JsonObject, type: string | undefined, { event, data }: Frame): Frame {
  return { event: isName(type) ? type : event, data: editJson(data, insideEdits(json, EVENT)) }
}

/** A type comes from JSON, and may be anything: one with a line break would make another event. */
function isName(type: string | undefined): type is string {
  return type !== undefined && /^\w{1,64}$/.test(type)
}

type Written = Extract<AnswerEvent, { type: 'start' | 'delta' | 'finish' }>

function isWritten(event: AnswerEvent): event is Written {
  return event.type !== 'usage' && event.type !== 'error'
}

/** Their frames are passed on already, or with the end. An end without a frame is written by the gateway. */
function silenced(events: AnswerEvent[]): AnswerEvent[] {
  return events.map((event) => (isWritten(event) && event.type !== 'finish' ? { ...event, raw: [] } : event))
}

function withLast(events: AnswerEvent[], raw: readonly Frame[], json: JsonObject): AnswerEvent[] {
  const last = events.findLastIndex(isWritten)
  if (last === -1) return [...events, { type: 'delta', index: 0, delta: {}, ...unmodelled(json), raw }]
  return events.map((event, i) => (isWritten(event) ? { ...event, raw: i === last ? raw : [] } : event))
}

/** What the model generated in a block of an unknown kind: it is counted. */
function unmodelled(json: JsonObject): { choiceExtra?: JsonObject } {
  const said = readObject(json.content_block) ?? readObject(json.delta)
  return said && !MODELLED.has(readText(said.type) ?? '') ? { choiceExtra: said } : {}
}

const MODELLED: ReadonlySet<string> = new Set([
  'text',
  'thinking',
  'tool_use',
  'signature_delta',
  'citations_delta',
])
