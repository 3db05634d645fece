const BLANK_LINE = Buffer.from('\n\n')
/** Enough of the end to see how a stream ended. */
const TAIL_BYTES = 64
const COMPLETED = 'event: response.completed\n'
const BODY_END = '\r\n0\r\n\r\n'
/** A proxy may cut the body anywhere, in the middle of the last event too. */
const CHUNK_BORDER = /\r\n[1-9a-f][0-9a-f]*\r\n/g

/** Reads one answer after the other from a connection: only what must be known to verify it. */
export class AnswerReader {
  status = 0
  /** Events of a stream. */
  events = 0
  #length = 0
  #received = 0
  #streamed = false
  #held = ''
  #inBody = false
  #tail = ''
  /** The last event of Responses is too long for the tail. */
  #isCompleted = false

  /** @returns whether the answer is over now */
  push(bytes: Buffer): boolean {
    let body = bytes
    if (!this.#inBody) {
      const before = this.#held.length
      this.#held += bytes.toString('latin1')
      const end = this.#held.indexOf('\r\n\r\n')
      if (end === -1) return false
      this.#readHead(this.#held.slice(0, end))
      body = bytes.subarray(end + 4 - before)
    }
    this.#received += body.length
    if (!this.#streamed) return this.#received >= this.#length
    this.#countEvents(body)
    this.#isCompleted ||=
      body.includes(COMPLETED) || (this.#tail + body.toString('latin1', 0, TAIL_BYTES)).includes(COMPLETED)
    this.#tail = (this.#tail + body.toString('latin1', Math.max(0, body.length - TAIL_BYTES))).slice(
      -TAIL_BYTES,
    )
    return this.#tail.endsWith(BODY_END)
  }

  /** A 2xx whose body is whole; of a stream, one that says so itself. */
  get whole(): boolean {
    if (this.status < 200 || this.status > 299) return false
    const tail = this.#tail.replace(CHUNK_BORDER, '')
    return (
      !this.#streamed ||
      tail.includes('data: [DONE]\n\n') ||
      tail.includes('data: {"type":"message_stop"}\n\n') ||
      this.#isCompleted
    )
  }

  reset(): void {
    this.events = 0
    this.#received = 0
    this.#held = ''
    this.#inBody = false
    this.#tail = ''
    this.#isCompleted = false
  }

  #readHead(head: string): void {
    this.#inBody = true
    this.status = Number(head.slice(9, 12))
    this.#length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    this.#streamed = /\r\ntransfer-encoding: *chunked/i.test(head)
  }

  #countEvents(body: Buffer): void {
    // A blank line whose halves came in two reads.
    if (this.#tail.endsWith('\n') && body[0] === 10) this.events++
    for (let at = body.indexOf(BLANK_LINE); at !== -1; at = body.indexOf(BLANK_LINE, at + 2)) this.events++
  }
}
