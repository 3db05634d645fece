import type { AnswerEvent } from '../../core/answer/event.ts'
import { hasText } from '../../core/answer/hasText.ts'
import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import { textLength } from '../../core/textLength.ts'
import { type EventListener, type EventStream, streamOf } from '../../upstream/eventStream.ts'
import { HELD_BACK_LENGTH_MAX } from '../../upstream/openEventStream.ts'
import { responseToEvents } from '../../wire/collect.ts'
import type { Answer } from './answer.ts'

/**
 * Events without content wait for it, so that no other answer repeats them. With more of them, or with more text in them than
 * `HELD_BACK_LENGTH_MAX`, they wait no longer.
 */
export const WAITING_MAX = 2_000

/**
 * A streamed answer that another one replaces if it fails before any of its content has left for the caller. What the
 * caller gets is one answer with one beginning; `route` and the rest are those of the answer that counts.
 *
 * @param again gives another answer for one that failed; rejects where no other may be tried
 */
export function untilContent(
  first: Answer<WholeAnswer>,
  firstStream: EventStream,
  again: (failure: UpstreamFailure) => Promise<Answer<WholeAnswer>>,
): Answer<WholeAnswer> {
  let answer = first
  /** Undefined while another answer is asked for. */
  let stream: EventStream | undefined = firstStream
  let listener: EventListener | undefined
  let begun = false
  /** Nothing takes the place of the answer any more. */
  let decided = false
  let waiting: AnswerEvent[] = []
  /** How much text waits. */
  let heldBack = 0
  let paused = false
  let aborted = false
  let replacement: Answer['replacement'] | undefined

  function take(events: readonly AnswerEvent[]): void {
    if (decided) return listener?.events(events)
    const beginsAgain = begun
    begun ||= events.some(({ type }) => type === 'start')
    const ofOne = beginsAgain ? events.filter(({ type }) => type !== 'start') : events
    decided = ofOne.some(decides) || isTooMuch(ofOne)
    if (decided) return listener?.events([...waiting.splice(0), ...ofOne])
    const failed = ofOne.find((event) => event.type === 'error')
    const passed = ofOne.filter(({ type }) => type === 'start' || type === 'usage')
    waiting.push(...ofOne.filter(({ type }) => type === 'delta'))
    if (passed.length > 0) listener?.events(passed)
    if (failed) replace(failed.failure)
  }

  function isTooMuch(more: readonly AnswerEvent[]): boolean {
    heldBack += textLength(more, HELD_BACK_LENGTH_MAX)
    return waiting.length + more.length > WAITING_MAX || heldBack > HELD_BACK_LENGTH_MAX
  }

  function replace(failure: UpstreamFailure): void {
    stream = undefined
    waiting = []
    heldBack = 0
    replacement = 'awaited'
    again(failure).then(use, () => giveUp(failure))
  }

  function use(next: Answer<WholeAnswer>): void {
    answer = next
    replacement = undefined
    stream = streamIn(next)
    if (aborted) stream.abort()
    else follow(stream)
  }

  function giveUp(failure: UpstreamFailure): void {
    replacement = 'none'
    if (aborted) return
    listener?.events([{ type: 'error', failure }])
    listener?.done()
  }

  function follow(followed: EventStream): void {
    followed.consume({
      events: take,
      done() {
        if (stream !== followed) return
        if (waiting.length > 0) listener?.events(waiting.splice(0))
        listener?.done()
      },
    })
    if (paused) followed.pause()
  }

  return {
    body: {
      kind: 'stream',
      stream: {
        consume(to) {
          listener = to
          follow(firstStream)
        },
        pause() {
          paused = true
          stream?.pause()
        },
        resume() {
          paused = false
          stream?.resume()
        },
        abort() {
          aborted = true
          stream?.abort()
        },
      },
    },
    get route() {
      return answer.route
    },
    get credential() {
      return answer.credential
    },
    get sentAt() {
      return answer.sentAt
    },
    get firstEventAt() {
      return answer.firstEventAt
    },
    get calls() {
      return answer.calls
    },
    get limit() {
      return answer.limit
    },
    get isLimited() {
      return answer.isLimited
    },
    get replacement() {
      return replacement
    },
  }
}

/** Content, or an end: from then on the answer is the caller's. */
function decides(event: AnswerEvent): boolean {
  return event.type === 'finish' || (event.type === 'delta' && hasText(event.delta))
}

/** The answer as a stream, also where it came whole. */
export function streamIn({ body }: Answer<WholeAnswer>): EventStream {
  return body.kind === 'stream' ? body.stream : streamOf(responseToEvents(body.response))
}
