import type { AnswerEvent } from '../../core/answer/event.ts'
import type { ClientSink, StreamedBody } from '../reply.ts'
import type { StreamEncoder } from '../../wire/wire.ts'
import { type Ended, type FollowOptions, follow } from './follow.ts'

/** Silence longer than this is filled with an SSE comment (docs/api.md#streams). */
export const KEEP_ALIVE_MS = 10_000
/** A stream that nobody starts to write within this time belongs to a caller that has gone. */
const START_PATIENCE_MS = 30_000
/** A caller that keeps its connection but has read nothing for so long is taken for gone. */
export const CALLER_STALL_MS = 5 * 60_000
const KEEP_ALIVE = ': keep-alive\n\n'

export interface RelayOptions extends Omit<FollowOptions, 'onEvents'> {
  readonly encoder: Pick<StreamEncoder, 'push'>
  /** Gets each text of the answer that is written before `conclude`. */
  readonly onWritten?: ((text: string) => void) | undefined
  /**
   * Settles the call and gives the last bytes: finish chunks and `[DONE]`, or the error event of a
   * stream that failed. Nothing of them is written before it resolves.
   */
  readonly conclude: (ended: Ended) => Promise<string>
}

export interface Relay extends StreamedBody {
  /** To be called about once a second: keep-alives, and the end of providers that do not end. */
  tick(now: number): void
  /** The process ends: so does the answer, with what `conclude` gives. */
  stop(): void
}

/** Turns a provider's events into the caller's bytes, at the caller's pace. */
export function relay(options: RelayOptions): Relay {
  const { encoder } = options
  const following = follow({ ...options, onEvents: write })
  const written = Promise.withResolvers<void>()
  let sink: ClientSink | undefined
  /** Written before the caller's side was there. */
  let early = ''
  let lastWriteAt = options.now()
  /** Since when the caller's socket is full. */
  let fullSince: number | undefined
  let gone = false

  function write(events: readonly AnswerEvent[]): void {
    let text = ''
    for (const event of events) for (const piece of encoder.push(event)) text += piece
    if (text === '') return
    options.onWritten?.(text)
    send(text)
  }

  function send(text: string): void {
    lastWriteAt = options.now()
    if (gone) return
    if (!sink) {
      early += text
      following.pause()
      return
    }
    const full = writeTo(sink, text)
    if (!full) return
    fullSince ??= lastWriteAt
    following.pause()
    full.then(roomAgain, leave)
  }

  /** A socket that cannot be written to belongs to a caller that has gone. */
  function writeTo(to: ClientSink, text: string): Promise<unknown> | undefined {
    try {
      return to.write(text)
    } catch {
      leave()
      return undefined
    }
  }

  function roomAgain(): void {
    fullSince = undefined
    following.resume()
  }

  function leave(): void {
    if (gone) return
    gone = true
    following.leave()
    written.resolve()
  }

  // `conclude` settles whatever happened, so a stream nobody ever started is settled too.
  const concluded = following.ended.then(options.conclude)

  async function finish(): Promise<void> {
    const last = await concluded
    if (gone) return
    if (last !== '' && sink) void writeTo(sink, last)
    if (gone) return
    gone = true
    sink?.end()
    written.resolve()
  }

  return {
    start(to) {
      sink = to
      if (early !== '') {
        const text = early
        early = ''
        send(text)
        // Only now: resuming may deliver at once, and what comes next must not overtake what came first.
        if (fullSince === undefined) following.resume()
      }
      finish().catch(written.reject)
      return written.promise
    },
    leave,
    stop: following.stop,
    tick(now) {
      following.tick(now)
      if (!sink && now - lastWriteAt >= START_PATIENCE_MS) leave()
      if (fullSince !== undefined && now - fullSince >= CALLER_STALL_MS) leave()
      if (sink && !gone && fullSince === undefined && now - lastWriteAt >= KEEP_ALIVE_MS) send(KEEP_ALIVE)
    },
  }
}
