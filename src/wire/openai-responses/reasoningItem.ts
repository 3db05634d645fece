import type { ReasoningDetail } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'
import { PiecedText } from '../piecedText.ts'
import { readObjects, readText } from '../read.ts'
import type { MessageSoFar, Said } from './messageSoFar.ts'
import type { OutputItem } from './outputItem.ts'

/** `summary`: what a model says of thoughts that it hides. `text`: the thoughts themselves. */
export type ThoughtForm = 'summary' | 'text'

/** A `reasoning` item. Its thoughts come as text for those who read, and at its end as details for those who replay them. */
export class ReasoningItem implements OutputItem {
  readonly kind = 'reasoning'
  readonly #message: MessageSoFar
  /** Among the reasoning items, the message and the calls of the answer. */
  readonly #place: number
  readonly #parts: Readonly<Record<ThoughtForm, Map<number, PiecedText>>> = {
    summary: new Map(),
    text: new Map(),
  }
  /** The form that is shown as text: the first that comes. */
  #shown: ThoughtForm | undefined

  constructor(message: MessageSoFar, place: number) {
    this.#message = message
    this.#place = place
  }

  get hasContent(): boolean {
    return this.#shown !== undefined
  }

  open(): Said[] {
    return []
  }

  /** A piece of a thought. */
  think(form: ThoughtForm, place: number, text: string): Said[] {
    if (text === '') return []
    const parts = this.#parts[form]
    const part = parts.get(place) ?? new PiecedText()
    parts.set(place, part)
    part.add(text)
    this.#shown ??= form
    if (this.#shown !== form) return []
    return [{ delta: this.#message.think(form === 'summary' ? part : this, text) }]
  }

  /** A whole part: nothing is new in it where pieces of it have come. */
  fillPart(form: ThoughtForm, place: number, text: string): Said[] {
    return this.#parts[form].has(place) ? [] : this.think(form, place, text)
  }

  finish({ summary, content, encrypted_content: encrypted }: JsonObject): Said[] {
    const thoughts = [...this.#fill('summary', textsOf(summary)), ...this.#fill('text', textsOf(content))]
    const details = this.#details(readText(encrypted))
    return details.length > 0 ? [...thoughts, { delta: { reasoning_details: details } }] : thoughts
  }

  #fill(form: ThoughtForm, texts: readonly string[]): Said[] {
    const came = this.#parts[form].size
    return texts.slice(came).flatMap((text, i) => this.think(form, came + i, text))
  }

  /** Without the item's id: in the canonical language an id says which call a signature belongs to. */
  #details(data: string | undefined): ReasoningDetail[] {
    const item = { format: THOUGHT_FORMATS.openai, index: this.#place }
    const text = Array.from(this.#parts.text.values(), (part) => part.take()).join('')
    return [
      ...Array.from(this.#parts.summary.values(), (part) => ({
        type: 'reasoning.summary',
        summary: part.take(),
        ...item,
      })),
      ...(text === '' ? [] : [{ type: 'reasoning.text', text, ...item }]),
      ...(data === undefined ? [] : [{ type: 'reasoning.encrypted', data, ...item }]),
    ]
  }
}

function textsOf(parts: Json | undefined): string[] {
  return readObjects(parts).flatMap((part) => readText(part.text) ?? [])
}
