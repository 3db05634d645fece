import type { Json, JsonObject } from '../../core/json.ts'
import { PiecedText } from '../piecedText.ts'
import { readText } from '../read.ts'
import { madeCallId } from '../toolCallIds.ts'
import { argumentsText } from '../toolCalls.ts'
import type { MessageSoFar, Said } from './messageSoFar.ts'
import type { CallKind, OutputItem } from './outputItem.ts'

/** A call of a function (`arguments`, as JSON text) or of a custom tool (`input`, any text). */
export class CallItem implements OutputItem {
  readonly kind: CallKind
  readonly #message: MessageSoFar
  readonly #completionId: string
  /** Undefined until its name is known. */
  #ordinal: number | undefined
  /** Pieces that came before the name. */
  readonly #early = new PiecedText()
  #hasArguments = false

  /** @param completionId names a call that comes without an id */
  constructor(kind: CallKind, message: MessageSoFar, completionId: string) {
    this.kind = kind
    this.#message = message
    this.#completionId = completionId
  }

  get hasContent(): boolean {
    return this.#ordinal !== undefined
  }

  open(item: JsonObject): Said[] {
    return this.#ordinal === undefined && readText(item.name) !== undefined ? this.#open(item) : []
  }

  /** A piece of the arguments. */
  extend(piece: string): Said[] {
    if (piece === '') return []
    if (this.#ordinal === undefined) {
      this.#early.add(piece)
      return []
    }
    this.#hasArguments = true
    return [called({ index: this.#ordinal, ...this.#body({ [this.#argument]: piece }) })]
  }

  /** All of the arguments: nothing is new in them where pieces have come. */
  fill(text: Json | undefined): Said[] {
    if (this.#hasArguments) return []
    const whole = argumentsText(text)
    if (whole !== '') this.#early.take()
    return this.extend(whole)
  }

  finish(item: JsonObject): Said[] {
    const given = item[this.#argument]
    const whole = argumentsText(given)
    if (this.#ordinal === undefined && whole !== '') this.#early.take()
    const opened = this.#ordinal === undefined ? this.#open(item) : []
    return [...opened, ...this.fill(given)]
  }

  /** `{}` for a function that is called without arguments: what callers parse must be JSON. */
  complete(): Said[] {
    return this.kind === 'function_call' && !this.#hasArguments ? this.extend('{}') : []
  }

  get #argument(): 'arguments' | 'input' {
    return this.kind === 'function_call' ? 'arguments' : 'input'
  }

  #open(item: JsonObject): Said[] {
    const name = readText(item.name) ?? ''
    const ordinal = this.#message.addCall()
    this.#ordinal = ordinal
    const id = readText(item.call_id) ?? madeCallId(this.#completionId, ordinal)
    const type = this.kind === 'function_call' ? 'function' : 'custom'
    const first = { index: ordinal, id, type, ...this.#body({ name, [this.#argument]: '' }) }
    return [called(first), ...this.extend(this.#early.take())]
  }

  #body(said: JsonObject): JsonObject {
    return this.kind === 'function_call' ? { function: said } : { custom: said }
  }
}

function called(call: JsonObject & { readonly index: number }): Said {
  return { delta: { tool_calls: [call] } }
}
