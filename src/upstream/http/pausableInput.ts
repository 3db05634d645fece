/** What a reader does with its input. */
export interface InputReader<End> {
  /** Whether it still wants something of this input. */
  readonly wants: () => boolean
  readonly data: (bytes: Uint8Array) => void
  /** How the connection ended, after everything that came before. */
  readonly end: (end: End) => void
}

interface PausableSocket {
  pause(): unknown
  resume(): unknown
}

/** The input of a socket at its reader's pace: what comes while the reader pauses is kept, in order, its end too. */
export class PausableInput<End> {
  readonly #socket: () => PausableSocket | undefined
  #paused = false
  /** The socket is paused only once something came while the reader was: two system calls per pause add up. */
  #socketPaused = false
  /** What came while paused: one read, seldom two. */
  #kept: Uint8Array[] = []
  #end: End | undefined

  /** @param socket undefined while there is none */
  constructor(socket: () => PausableSocket | undefined) {
    this.#socket = socket
  }

  get paused(): boolean {
    return this.#paused
  }

  /** Whether something is kept that no reader has taken. */
  get keepsBytes(): boolean {
    return this.#kept.length > 0
  }

  pause(): void {
    this.#paused = true
  }

  /** The next `drain` gives what is kept. */
  resume(): void {
    this.#paused = false
  }

  /** Keeps bytes that come while paused; false: the reader takes them now. */
  keep(bytes: Uint8Array): boolean {
    if (!this.#paused) return false
    this.#kept.push(bytes)
    if (!this.#socketPaused) this.#socket()?.pause()
    this.#socketPaused = true
    return true
  }

  /** Keeps the end of the connection while bytes before it are kept; false: the reader takes it now. */
  keepEnd(end: End): boolean {
    if (this.#kept.length === 0) return false
    this.#end = end
    return true
  }

  /** Gives what is kept until the reader pauses or wants no more; when nothing is left, the socket reads on. */
  drain(reader: InputReader<End>): void {
    while (!this.#paused && reader.wants()) {
      const bytes = this.#kept.shift()
      if (bytes !== undefined) reader.data(bytes)
      else if (this.#end !== undefined) return reader.end(this.#end)
      else return this.readOn()
    }
  }

  /** Lets the socket read again, whoever takes what comes. */
  readOn(): void {
    if (this.#socketPaused) this.#socket()?.resume()
    this.#socketPaused = false
  }

  /** What is kept is of no use to anybody. */
  forget(): void {
    this.#kept = []
  }
}
