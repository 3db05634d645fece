import type { AnswerEvent } from '../../../core/answer/event.ts'
import type { Frame } from '../../../core/answer/frame.ts'
import type { JsonObject } from '../../../core/json.ts'
import { type Carrier, cleanFrame, isWritten, silenced, unknownOf, withLast } from '../../carriedFrames.ts'
import { readNumber, readObject, readObjects, readText } from '../../read.ts'
import { END, EVENT } from './answerShape.ts'

/** Puts the frames of a stream on the events that they became. */
export function carryFrames(): Carrier {
  /** The last ping, which waits for an event: by itself it says nothing. */
  let ping: Frame | undefined
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
    const [event] = events
    // The usual frame, which holds nothing that could stay inside.
    if (ping === undefined && event?.type === 'delta' && events.length === 1 && isPlainDelta(frame, json))
      return [{ type: 'delta', index: event.index, delta: event.delta, raw: [frame] }]
    switch (type) {
      case 'ping':
        // One that says more is not a ping of this format.
        if (Object.keys(json).length === 1) ping = { event: type, data: frame.data }
        return events
      case 'error':
        return events
      case 'message_start':
        // Some providers begin a message twice, and some too late.
        if (events.every((event) => event.type !== 'start')) return silenced(events)
        foreign = !isBeginning(readObject(json.message))
        return foreign ? events : carried(events, frame, json, type)
      case 'message_delta':
        counted ||= isCounted(json)
        return [...end(frame, json, type), ...silenced(events)]
      case 'message_stop': {
        const said = end(frame, json, type)
        const ended = events.map((event) => {
          if (!isWritten(event)) return event
          if (event.type !== 'finish') return { ...event, raw: [] }
          return counted ? { ...event, raw: ping ? [ping, ...ending] : ending } : event
        })
        return [...said, ...ended]
      }
      default:
        return carried(events, frame, json, type)
    }
  }

  /** Keeps a frame of the end, and gives what it says beside that, which is counted. */
  function end(frame: Frame, json: JsonObject, type: string | undefined): AnswerEvent[] {
    ending.push(cleanFrame(frame, json, type, EVENT))
    const beside = { ...unknownOf(json, EVENT), ...unknownOf(readObject(json.delta) ?? {}, END) }
    return Object.keys(beside).length === 0
      ? []
      : [{ type: 'delta', index: 0, delta: {}, choiceExtra: beside, raw: [] }]
  }

  function carried(
    events: AnswerEvent[],
    frame: Frame,
    json: JsonObject,
    type: string | undefined,
  ): AnswerEvent[] {
    const cleaned = cleanFrame(frame, json, type, EVENT)
    const raw = ping ? [ping, cleaned] : [cleaned]
    ping = undefined
    return withLast(events, raw, unmodelled(json))
  }

  return { carry, close: (events) => (foreign ? events : silenced(events)) }
}

/** A piece of text, of thinking or of arguments, and nothing beside. */
function isPlainDelta({ event }: Frame, json: JsonObject): boolean {
  if (event !== 'content_block_delta' || json.type !== event) return false
  for (const name in json) if (name !== 'type' && name !== 'index' && name !== 'delta') return false
  const delta = json.delta as JsonObject
  for (const name in delta) if (name !== 'type' && !PIECES.has(name)) return false
  return true
}

const PIECES: ReadonlySet<string> = new Set(['text', 'thinking', 'partial_json'])

/** The usage that clients of the format read without asking. */
export function isCounted(message: JsonObject | undefined): boolean {
  return readNumber(readObject(message?.usage)?.output_tokens) !== undefined
}

/** The beginning of a message says nothing yet. */
function isBeginning(message: JsonObject | undefined): boolean {
  return isCounted(message) && readObjects(message?.content).length === 0
}

/** What the model generated in a block or an event of an unknown kind: it is counted. */
function unmodelled(json: JsonObject): { choiceExtra?: JsonObject } {
  if (!BLOCK_EVENTS.has(readText(json.type) ?? '')) return { choiceExtra: json }
  const said = readObject(json.content_block) ?? readObject(json.delta)
  return said && !MODELLED.has(readText(said.type) ?? '') ? { choiceExtra: said } : {}
}

const BLOCK_EVENTS: ReadonlySet<string> = new Set([
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
])

const MODELLED: ReadonlySet<string> = new Set([
  'text',
  'thinking',
  'tool_use',
  'signature_delta',
  'citations_delta',
])
