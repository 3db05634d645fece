import { UpstreamError } from '../../core/failure.ts'
import type { BodySink } from '../http.ts'

/**
 * A reader of a body whose throws end its own call and nothing else. What it throws while it reads is a
 * broken answer (`invalid_answer`): the provider's bytes led there. Unless it said so itself, the throw is
 * also a bug of ours, and is reported.
 */
export class SafeSink implements BodySink {
  readonly #sink: BodySink
  readonly #abort: () => void
  readonly #report: (error: unknown) => void
  #over = false

  /** @param abort ends the call; no callback comes after it */
  constructor(sink: BodySink, abort: () => void, report: (error: unknown) => void) {
    this.#sink = sink
    this.#abort = abort
    this.#report = report
  }

  data(bytes: Uint8Array): void {
    if (this.#over) return
    try {
      this.#sink.data(bytes)
    } catch (error) {
      this.#breakOff(error)
    }
  }

  end(): void {
    if (this.#over) return
    try {
      this.#sink.end()
      this.#over = true
    } catch (error) {
      this.#breakOff(error)
    }
  }

  fail(error: UpstreamError): void {
    if (this.#over) return
    this.#over = true
    try {
      this.#sink.fail(error)
    } catch (cause) {
      this.#report(cause)
    }
  }

  #breakOff(cause: unknown): void {
    this.#abort()
    if (cause instanceof UpstreamError) return this.fail(cause)
    this.#report(cause)
    const detail = `the answer could not be read: ${cause instanceof Error ? cause.message : String(cause)}`
    this.fail(new UpstreamError({ kind: 'invalid_answer', detail }, { cause }))
  }
}
