import type { Json, JsonObject } from '../../core/json.ts'
import { readObjects, readText } from '../read.ts'
import { decodeAnnotations } from './annotations.ts'
import { decodeLogprobs } from './logprobs.ts'
import { matchPlaces } from './matchPlaces.ts'
import type { MessageSoFar, Said } from './messageSoFar.ts'
import type { OutputItem } from './outputItem.ts'

/** What has come of one content part. */
interface Part {
  /** Where its text begins in the whole message. */
  readonly start: number
  hasText: boolean
  /** How many annotations have come, of any type. */
  annotations: number
  /** How many tokens have come with log probabilities. */
  logprobs: number
}

type Parts = Map<number, Part>

/** A `message` item. Its final form adds only what has not come in pieces. */
export class MessageItem implements OutputItem {
  readonly kind = 'message'
  readonly #message: MessageSoFar
  readonly #texts: Parts = new Map()
  readonly #refusals: Parts = new Map()

  constructor(message: MessageSoFar) {
    this.#message = message
  }

  get hasContent(): boolean {
    return this.#texts.size > 0 || this.#refusals.size > 0
  }

  open(): Said[] {
    return []
  }

  speak(place: number, text: string, logprobs: Json | undefined): Said[] {
    return this.#speak(this.#partAt(this.#texts, place), text, logprobs)
  }

  refuse(place: number, refusal: string): Said[] {
    return this.#refuse(this.#partAt(this.#refusals, place), refusal)
  }

  annotate(place: number, annotation: Json | undefined): Said[] {
    const part = this.#partAt(this.#texts, place)
    part.annotations += 1
    return annotationsAt(part, readObjects([annotation ?? null]))
  }

  /** A part in its final form: `{type: 'output_text', text, annotations, logprobs}` or `{type: 'refusal', refusal}`. */
  fillPart(place: number, final: JsonObject): Said[] {
    return isRefusal(final)
      ? this.#fillRefusal(this.#partAt(this.#refusals, place), final)
      : this.#fillText(this.#partAt(this.#texts, place), final)
  }

  finish({ content }: JsonObject): Said[] {
    const finals = typeof content === 'string' ? [{ text: content }] : readObjects(content)
    const texts = knownParts(this.#texts, finals, false)
    const refusals = knownParts(this.#refusals, finals, true)
    return finals.flatMap((final, place) =>
      isRefusal(final)
        ? this.#fillRefusal(refusals.get(place) ?? this.#partAt(this.#refusals, place), final)
        : this.#fillText(texts.get(place) ?? this.#partAt(this.#texts, place), final),
    )
  }

  #fillText(part: Part, { text, annotations, logprobs }: JsonObject): Said[] {
    const tokens = readObjects(logprobs).slice(part.logprobs)
    const cited = readObjects(annotations).slice(part.annotations)
    part.annotations += cited.length
    return [
      ...this.#speak(part, part.hasText ? '' : (readText(text) ?? ''), tokens),
      ...annotationsAt(part, cited),
    ]
  }

  #fillRefusal(part: Part, { refusal }: JsonObject): Said[] {
    return part.hasText ? [] : this.#refuse(part, readText(refusal) ?? '')
  }

  #refuse(part: Part, refusal: string): Said[] {
    if (refusal === '') return []
    part.hasText = true
    return [{ delta: this.#message.refuse(refusal) }]
  }

  #speak(part: Part, text: string, given: Json | undefined): Said[] {
    const logprobs = decodeLogprobs(given)
    if (text === '' && !logprobs) return []
    part.hasText ||= text !== ''
    part.logprobs += logprobs?.content.length ?? 0
    const delta = text === '' ? {} : this.#message.speak(text)
    return [logprobs ? { delta, logprobs } : { delta }]
  }

  #partAt(parts: Parts, place: number): Part {
    const known = parts.get(place)
    if (known) return known
    const part = { start: this.#message.textLength, hasText: false, annotations: 0, logprobs: 0 }
    parts.set(place, part)
    return part
  }
}

/** Of the parts of a kind in a final list, those of which text has come. */
function knownParts(
  parts: Parts,
  finals: readonly JsonObject[],
  refusals: boolean,
): ReadonlyMap<number, Part> {
  const places = finals.flatMap((final, place) => (isRefusal(final) === refusals ? [place] : []))
  return matchPlaces(new Map([...parts].filter(([, { hasText }]) => hasText)), places)
}

function isRefusal({ type }: JsonObject): boolean {
  return type === 'refusal'
}

function annotationsAt({ start }: Part, given: readonly JsonObject[]): Said[] {
  const annotations = decodeAnnotations(given, start)
  return annotations.length > 0 ? [{ delta: { annotations } }] : []
}
