import type { Socket } from 'bun'
import { AnswerReader } from './answerReader.ts'
import type { Tally } from './tally.ts'

/** A caller's keep-alive connection: one call at a time. */
export class CallerConnection {
  readonly #reader = new AnswerReader()
  readonly #tally: Tally
  #socket: Socket<CallerConnection> | undefined
  #done: (() => void) | undefined
  #intendedAt = 0
  #sentAt = 0
  #lastEventAt = 0

  constructor(tally: Tally) {
    this.#tally = tally
  }

  static async open(port: number, tally: Tally): Promise<CallerConnection> {
    const connection = new CallerConnection(tally)
    connection.#socket = await Bun.connect<CallerConnection>({
      hostname: '127.0.0.1',
      port,
      data: connection,
      socket: {
        data: (socket, bytes) => socket.data.#read(bytes),
        close: (socket) => socket.data.#lost(),
        error: (socket) => socket.data.#lost(),
      },
    })
    return connection
  }

  /** Sends a request and reads its answer to the end. @param intendedAt when it should have been sent */
  call(request: string, intendedAt: number): Promise<void> {
    this.#reader.reset()
    this.#intendedAt = intendedAt
    this.#sentAt = performance.now()
    this.#lastEventAt = 0
    return new Promise((resolve) => {
      this.#done = resolve
      this.#socket?.write(request)
    })
  }

  close(): void {
    this.#socket?.end()
  }

  #read(bytes: Buffer): void {
    const reader = this.#reader
    const before = reader.events
    const over = reader.push(bytes)
    if (reader.events > before) this.#timeEvent(reader.events - before)
    if (!over) return
    const now = performance.now()
    this.#tally.answered(reader.whole, now - this.#intendedAt, this.#sentAt - this.#intendedAt)
    this.#finish()
  }

  #timeEvent(events: number): void {
    const now = performance.now()
    if (this.#lastEventAt === 0) this.#tally.firstEvent(now - this.#intendedAt)
    else this.#tally.gap(now - this.#lastEventAt)
    this.#tally.events += events
    this.#lastEventAt = now
  }

  #lost(): void {
    if (this.#done) this.#tally.answered(false, 0, 0)
    this.#finish()
  }

  #finish(): void {
    const done = this.#done
    this.#done = undefined
    done?.()
  }
}
