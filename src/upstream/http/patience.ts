import type { Timeouts } from '../http.ts'
import type { Deadline, Deadlines } from './deadlines.ts'

/** Until timeouts are given. */
const ENDLESS: Timeouts = { connectMs: Infinity, firstEventMs: Infinity, idleMs: Infinity, totalMs: Infinity }

/** What watches over deadlines, with its clock. */
type Watch = Pick<Deadlines, 'now' | 'in' | 'add' | 'delete'>

/**
 * How long a connection waits for its peer: to connect, for the first byte and the first event of an answer, for each
 * following read, for its end, and then for the next request. A read costs an assignment and no timer.
 */
export class Patience implements Deadline {
  expiresAt = Number.POSITIVE_INFINITY
  readonly #deadlines: Watch
  readonly #onExpired: () => void
  #timeouts = ENDLESS
  #connecting = true
  #received = false
  #firstEventSeen = false
  #spoken = false
  /** When the first event must have come. */
  #eventBy = Number.POSITIVE_INFINITY
  /** When the answer must be over; moves on while the reader pauses it. */
  #endsAt = Number.POSITIVE_INFINITY
  /** Since when the reader pauses; undefined: it reads. */
  #pausedAt: number | undefined
  #restsSince = 0

  /** @param deadlines its clock is the one of all moments here */
  constructor(deadlines: Watch, onExpired: () => void) {
    this.#deadlines = deadlines
    this.#onExpired = onExpired
  }

  /** Waits for the connection. */
  connect(timeouts: Timeouts): void {
    this.#timeouts = timeouts
    this.expiresAt = this.#deadlines.in(timeouts.connectMs)
    this.#deadlines.add(this)
  }

  /** Waits for the answer to a request that is sent now. */
  begin(timeouts: Timeouts): void {
    this.#timeouts = timeouts
    this.#connecting = false
    this.#received = false
    this.#firstEventSeen = false
    this.#spoken = false
    this.#pausedAt = undefined
    this.#endsAt = this.#deadlines.in(timeouts.totalMs)
    this.#expectEvent()
  }

  /** The peer takes more of the request: its time to answer begins again. */
  took(): void {
    if (!this.#firstEventSeen) this.#expectEvent()
  }

  /** Whether a byte of the answer has come. */
  get received(): boolean {
    return this.#received
  }

  /** A piece of the answer has come, whether or not it is read now. */
  receive(): void {
    this.#received = true
  }

  /** A piece of the answer is read: the next one is awaited. */
  read(): void {
    const until = this.#firstEventSeen ? this.#endsAt : this.#eventBy
    this.expiresAt = Math.min(this.#deadlines.in(this.#silenceMs), until)
  }

  firstEventSeen(): void {
    if (this.#firstEventSeen) return
    this.#firstEventSeen = true
    if (this.#pausedAt === undefined) this.read()
    else this.expiresAt = Number.POSITIVE_INFINITY
  }

  spoken(): void {
    if (this.#spoken) return
    this.#spoken = true
    if (this.#pausedAt === undefined) this.read()
  }

  /** The reader takes nothing: from the first event on nothing is awaited. */
  pause(): void {
    this.#pausedAt ??= this.#deadlines.now
    if (this.#firstEventSeen) this.expiresAt = Number.POSITIVE_INFINITY
  }

  /** Only the peer's time counts: a caller must not end its own call as the provider's failure by reading slowly. */
  resume(): void {
    if (this.#pausedAt === undefined) return
    this.#endsAt += this.#deadlines.now - this.#pausedAt
    this.#pausedAt = undefined
    if (this.#received) this.read()
  }

  /** Waits for the next request, so long. */
  rest(forMs: number): void {
    this.#restsSince = this.#deadlines.now
    this.expiresAt = this.#deadlines.in(forMs)
  }

  /** Since when it has rested. */
  get restsSince(): number {
    return this.#restsSince
  }

  /** Nothing is awaited any more. */
  end(): void {
    this.#deadlines.delete(this)
  }

  expire(): void {
    this.#onExpired()
  }

  /** What has lasted too long, when it has expired. @param peer `answered`: the head of the answer has come */
  describeSilence({ key, answered }: { key: string; answered: boolean }): { code: string; detail: string } {
    const { connectMs, firstEventMs, firstByteMs = firstEventMs, totalMs } = this.#timeouts
    if (this.#connecting) {
      return { code: 'connect_timeout', detail: `no connection to ${key} within ${connectMs} ms` }
    }
    if (this.#firstEventSeen && this.expiresAt === this.#endsAt) {
      return { code: 'total_timeout', detail: `${key} did not end its answer within ${totalMs} ms` }
    }
    if (this.#firstEventSeen || (this.#received && this.expiresAt !== this.#eventBy)) {
      return { code: 'idle_timeout', detail: `${key} was silent for ${this.#silenceMs} ms in its answer` }
    }
    if (this.expiresAt !== this.#eventBy) {
      return { code: 'first_byte_timeout', detail: `no byte from ${key} within ${firstByteMs} ms` }
    }
    const missing = answered ? 'event' : 'answer'
    return { code: 'first_event_timeout', detail: `no ${missing} from ${key} within ${firstEventMs} ms` }
  }

  #expectEvent(): void {
    const { firstEventMs, firstByteMs = firstEventMs } = this.#timeouts
    this.#eventBy = this.#deadlines.in(firstEventMs)
    this.expiresAt = Math.min(this.#deadlines.in(firstByteMs), this.#eventBy)
  }

  /** How long nothing may arrive. */
  get #silenceMs(): number {
    const { idleMs, spokenIdleMs = idleMs } = this.#timeouts
    return this.#spoken ? spokenIdleMs : idleMs
  }
}
