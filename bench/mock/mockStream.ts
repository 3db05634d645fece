import type { Socket } from 'bun'
import type { StreamAnswer } from './answers.ts'
import type { MockSpec } from './spec.ts'
import type { Rider } from './wheel.ts'

/** One streamed answer on its way: a chunk per turn, then the tail. */
export class MockStream implements Rider {
  /** From the request until the first chunk, in milliseconds: the time asked for, and a phase of its own. */
  readonly delay: number
  readonly #socket: Socket<unknown>
  readonly #answer: StreamAnswer
  readonly #spec: MockSpec
  readonly #whole: () => void
  #next = 0
  #unsent: Buffer | undefined
  #begun = false

  constructor(socket: Socket<unknown>, answer: StreamAnswer, spec: MockSpec, whole: () => void) {
    this.#socket = socket
    this.#answer = answer
    this.#spec = spec
    this.#whole = whole
    this.delay = spec.ttft + Math.random() * spec.gap
  }

  turn(): number {
    this.send()
    return this.#next > this.#answer.chunks.length ? 0 : this.#spec.gap
  }

  /** Sends the next piece, or with no gap all of them, as far as the socket takes them. */
  send(): void {
    if (!this.#begun) this.#write(this.#answer.head)
    this.#begun = true
    do {
      if (this.#unsent) return
      const piece = this.#answer.chunks[this.#next] ?? this.#answer.tail
      const last = this.#next === this.#answer.chunks.length
      this.#next++
      this.#write(piece)
      if (last) this.#whole()
    } while (this.#spec.gap === 0 && this.#next <= this.#answer.chunks.length)
  }

  drain(): void {
    const unsent = this.#unsent
    if (!unsent) return
    this.#unsent = undefined
    this.#write(unsent)
    if (!this.#unsent && this.#spec.gap === 0 && this.#next <= this.#answer.chunks.length) this.send()
  }

  #write(bytes: Buffer): void {
    const written = Math.max(0, this.#socket.write(bytes))
    if (written < bytes.length) this.#unsent = bytes.subarray(written)
  }
}
