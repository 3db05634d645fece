import type { AnswerEvent } from '../core/answer/event.ts'
import type { Frame } from '../core/answer/frame.ts'
import type { JsonObject } from '../core/json.ts'
import { editJson } from '../core/jsonText.ts'
import { type Shape, insideEdits } from './inside.ts'
import { staysInside } from './staysInside.ts'

/** What a frame of a native lane is passed on with: its events, of which the last that is written for the caller has it. */
export interface Carrier {
  carry(frame: Frame, json: JsonObject, type: string | undefined, events: AnswerEvent[]): AnswerEvent[]
  /** The events of an end that came without the format's last frame: the caller gets the end in the gateway's words. */
  close(events: AnswerEvent[]): AnswerEvent[]
}

type Written = Extract<AnswerEvent, { type: 'start' | 'delta' | 'finish' }>

export function isWritten(event: AnswerEvent): event is Written {
  return event.type !== 'usage' && event.type !== 'error'
}

/** Their frames are passed on already, or with the end. An end without a frame is written by the gateway. */
export function silenced(events: AnswerEvent[]): AnswerEvent[] {
  return events.map((event) => (isWritten(event) && event.type !== 'finish' ? { ...event, raw: [] } : event))
}

/** @param beside what a frame without events has for the till */
export function withLast(
  events: AnswerEvent[],
  raw: readonly Frame[],
  beside: { readonly choiceExtra?: JsonObject } = {},
): AnswerEvent[] {
  const last = events.findLastIndex(isWritten)
  if (last === -1) return [...events, { type: 'delta', index: 0, delta: {}, ...beside, raw }]
  return events.map((event, i) => (isWritten(event) ? { ...event, raw: i === last ? raw : [] } : event))
}

/** A frame without what stays inside, under the name of its type: imitators of a format leave it out. */
export function cleanFrame(
  { event, data }: Frame,
  json: JsonObject,
  type: string | undefined,
  shape: Shape,
): Frame {
  return { event: [type, event].find(isName), data: editJson(data, insideEdits(json, shape)) }
}

/** A type comes from JSON, and may be anything: one with a line break would make another event. */
function isName(type: string | undefined): type is string {
  return type !== undefined && /^[\w.]{1,64}$/.test(type)
}

/** Fields that the interface does not know, without those that stay inside. */
export function unknownOf(object: JsonObject, known: Shape): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(
      ([name, value]) => !Object.hasOwn(known, name) && !staysInside(name, value),
    ),
  )
}
