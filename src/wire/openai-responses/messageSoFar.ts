import type { Delta } from '../../core/answer/event.ts'
import type { JsonObject } from '../../core/json.ts'

/** What a piece of an answer adds to its message. */
export interface Said {
  readonly delta: Delta
  /** Of the text in the delta. */
  readonly logprobs?: JsonObject
}

/** The one message that all items of an answer become together, as far as it has come. */
export class MessageSoFar {
  /** In UTF-16 units. */
  textLength = 0
  /** Text, a refusal, reasoning or a call has come. */
  hasContent = false
  #calls = 0
  #lastThought: object | undefined

  get calls(): number {
    return this.#calls
  }

  /** The ordinal of another call. */
  addCall(): number {
    this.hasContent = true
    return this.#calls++
  }

  speak(content: string): Delta {
    this.hasContent = true
    this.textLength += content.length
    return { content }
  }

  refuse(refusal: string): Delta {
    this.hasContent = true
    return { refusal }
  }

  /**
   * A blank line separates the thoughts of different parts.
   * @param part what the text belongs to, by identity
   */
  think(part: object, text: string): Delta {
    this.hasContent = true
    const isNext = this.#lastThought !== undefined && this.#lastThought !== part
    this.#lastThought = part
    return { reasoning_content: isNext ? `\n\n${text}` : text }
  }
}
