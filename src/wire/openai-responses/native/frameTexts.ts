import { isLabel } from '../../../core/answer/unknownText.ts'
import { type Json, type JsonObject, isJsonObject } from '../../../core/json.ts'
import { unknownOf } from '../../carriedFrames.ts'
import type { Shape } from '../../inside.ts'
import { readObject } from '../../read.ts'
import { EVENT, RESPONSE } from './answerShape.ts'

/** Ids of some providers have hundreds of characters; a longer one is text. UTF-16 units. */
const LABEL_LENGTH_MAX = 1_024
/** Deeper than any answer. */
const DEPTH_MAX = 32
/** Of ciphertext so much stands for what is in it, as in `core/answer/unknownText.ts`. */
const ENCRYPTED_PART = 3

/** Reads the texts of frames that are passed on: every string that may be generated, wherever it is, in the order of fields. */
export interface FrameTexts {
  /** @param isEarly it begins an item: ciphertext in it is not that of the item's end */
  ofEvent(json: JsonObject, isEarly: boolean): string[]
  /** Of the items in the response that an event has. */
  ofItems(json: JsonObject): string[]
  /** Of such an event, what is unknown beside the items. The rest repeats the request. */
  besideItems(json: JsonObject): string[]
}

/** What a string is taken for. */
interface Place {
  readonly depth: number
  readonly isEarly: boolean
  /** What it belongs to says no text. */
  readonly isLabel: boolean
}

const TOP: Place = { depth: DEPTH_MAX, isEarly: false, isLabel: false }

export function createFrameTexts(): FrameTexts {
  /** Ids come with every event: a long one is taken where it is another than the one before. */
  let longLabel = ''

  function take(value: Json | undefined, place: Place, texts: string[]): void {
    if (typeof value === 'string') {
      if (place.isLabel) takeLabel(value, texts)
      else if (value !== '') texts.push(value)
    } else if (place.depth === 0) return
    else if (Array.isArray(value)) {
      const within = { ...place, depth: place.depth - 1 }
      for (const item of value as readonly Json[]) take(item, within, texts)
    } else if (isJsonObject(value)) takeObject(value, place, texts)
  }

  function takeObject(object: JsonObject, place: Place, texts: string[]): void {
    for (const name in object) {
      takeLabel(name, texts)
      const value = object[name]
      if (name === 'encrypted_content') {
        // The end of reasoning is counted by what is shown of it, or by its ciphertext.
        if (object.type !== 'reasoning' || place.isEarly) takeSecret(value, texts)
        continue
      }
      const within = { ...place, depth: place.depth - 1, isLabel: place.isLabel || isShort(name) }
      take(value, within, texts)
    }
  }

  function takeLabel(label: string, texts: string[]): void {
    if (isShortLabel(label) || label === longLabel) return
    longLabel = label
    texts.push(label)
  }

  /** What a response says beside its items and what it repeats of the request. */
  function takeBeside(value: Json | undefined, shape: Shape, texts: string[]): void {
    const object = readObject(value) ?? {}
    takeObject(unknownOf(object, shape), TOP, texts)
    for (const name in shape) {
      const known = shape[name]
      const part = object[name]
      if (known === undefined || REPEATED.has(name)) continue
      if (known !== true) takeBeside(part, known, texts)
      else if (typeof part === 'string') takeLabel(part, texts)
    }
  }

  return {
    ofEvent({ response, ...event }, isEarly) {
      const texts: string[] = []
      takeObject(event, { ...TOP, isEarly }, texts)
      takeBeside(response, RESPONSE, texts)
      return texts
    },
    ofItems({ response }) {
      const texts: string[] = []
      const { output, output_text: text } = readObject(response) ?? {}
      take(output, TOP, texts)
      // The items say the same.
      if (texts.length === 0) take(text, TOP, texts)
      return texts
    },
    besideItems({ response, ...event }) {
      const texts: string[] = []
      takeObject(unknownOf(event, EVENT), TOP, texts)
      takeBeside(response, RESPONSE, texts)
      return texts
    },
  }
}

function takeSecret(value: Json | undefined, texts: string[]): void {
  if (typeof value === 'string' && !isShortLabel(value))
    texts.push(value.slice(0, Math.ceil(value.length / ENCRYPTED_PART)))
}

/** Whether a string that says what something is, or belongs to, is so short that it is not counted. */
export function isShortLabel(label: string): boolean {
  return label.length <= LABEL_LENGTH_MAX
}

/** The items are read apart; the rest is the caller's own. */
const REPEATED: ReadonlySet<string> = new Set(
  `output output_text instructions metadata tools tool_choice prompt conversation user safety_identifier prompt_cache_key
  previous_response_id id model format`.split(/\s+/),
)

function isShort(name: string): boolean {
  return isLabel(name) || OTHER_LABELS.has(name)
}

const OTHER_LABELS: ReadonlySet<string> = new Set(['name', 'phase', 'namespace', 'obfuscation', 'logprobs'])
