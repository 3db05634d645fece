import { forEachGenerated } from '../../../core/answer/generatedText.ts'
import type { AnswerEvent } from '../../../core/answer/event.ts'
import type { JsonObject } from '../../../core/json.ts'
import { readNumber } from '../../read.ts'
import { createFrameTexts } from './frameTexts.ts'

/** Finds the text of frames that is passed on and is in no event of the canonical language: it is counted all the same. */
export interface UncountedText {
  /** A frame that is nothing but a piece of text, which its event counts. */
  piece(json: JsonObject): void
  /** @returns what its events do not count of a frame; '' where they count all */
  in(json: JsonObject, type: string | undefined, events: readonly AnswerEvent[]): string
}

/** How much has come of an item, or of the answer; UTF-16 units. */
interface Came {
  length: number
  /** By the events that repeat it: how much they have repeated. */
  readonly repeated: Map<string, number>
}

/**
 * The same text comes in pieces, in the ends of its part and of its item, and in the last event: it is counted once. So each
 * kind of event may repeat as much of an item as has come of it; what it says beyond is new.
 */
export function uncountedText(): UncountedText {
  const texts = createFrameTexts()
  const items = new Map<number, Came>()
  const answer: Came = nothing()
  /** Of the response, beside its items. */
  const beside: Came = nothing()

  function cameAt(json: JsonObject): Came {
    const place = readNumber(json.output_index)
    if (place === undefined) return answer
    const came = items.get(place) ?? nothing()
    items.set(place, came)
    return came
  }

  function add(came: Came, length: number): void {
    came.length += length
    if (came !== answer && came !== beside) answer.length += length
  }

  /** How much of a text is new, of what has come. */
  function newOf(came: Came, kind: string | undefined, length: number): number {
    if (kind === undefined) {
      add(came, length)
      return length
    }
    const repeated = (came.repeated.get(kind) ?? 0) + length
    came.repeated.set(kind, repeated)
    const more = Math.max(0, repeated - came.length)
    add(came, more)
    return more
  }

  function inEvent(json: JsonObject, type: string, counted: number): string {
    const isEarly = type.endsWith('.added')
    const said = texts.ofEvent(json, isEarly).join('')
    const came = cameAt(json)
    const isPiece = isEarly || type.endsWith('.delta') || (came === answer && !REPEATING.test(type))
    return beyond(said, newOf(came, isPiece ? undefined : kindOf(type), said.length) - counted)
  }

  /** The places of a last list can be others than those of the events before. */
  function inResponse(json: JsonObject, type: string, counted: number): string {
    const said = texts.ofItems(json).join('')
    const apart = texts.besideItems(json).join('')
    const more = beyond(said, newOf(answer, 'items', said.length) - counted)
    return more + beyond(apart, newOf(beside, type, apart.length))
  }

  return {
    piece(json) {
      if (typeof json.delta === 'string') add(cameAt(json), json.delta.length)
    },
    in(json, type = '', events) {
      const counted = lengthOf(events)
      return WHOLE_RESPONSES.has(type) ? inResponse(json, type, counted) : inEvent(json, type, counted)
    },
  }
}

function lengthOf(events: readonly AnswerEvent[]): number {
  let length = 0
  for (const event of events)
    if (event.type === 'delta') forEachGenerated(event.delta, (text) => void (length += text.length))
  return length
}

function nothing(): Came {
  return { length: 0, repeated: new Map() }
}

/** The end of a text: what it says beyond what has come. */
function beyond(text: string, length: number): string {
  return length > 0 ? text.slice(-length) : ''
}

const WHOLE_RESPONSES: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.completed',
  'response.incomplete',
])

/** A provider may send events of any type: those that are unknown repeat an item once, all together. */
function kindOf(type: string): string {
  return REPEATING.test(type) ? type : 'other'
}

const REPEATING =
  /^response\.(?:output_item|content_part|output_text|refusal|reasoning_text|reasoning_summary_text|reasoning_summary_part|function_call_arguments|custom_tool_call_input|mcp_call_arguments|code_interpreter_call_code)\.done$/
