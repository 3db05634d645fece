import type { AnswerEvent } from '../core/answer/event.ts'
import { hasText } from '../core/answer/hasText.ts'
import { reportAfter } from '../core/answer/reportAfter.ts'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import { textLength } from '../core/textLength.ts'
import type { ReportedUsage } from '../core/usage.ts'
import type { StreamDecoder } from '../wire/answerEnd.ts'
import { splitFrames } from '../wire/framing.ts'
import type { AnswerShare } from './answerBudget.ts'
import { CUT, type EventListener, type EventStream, isFirstValidEvent } from './eventStream.ts'
import { CallAborted, type HttpResponse } from './http.ts'
import { normaliseEvents } from './normalise.ts'
import type { Route } from './route.ts'

/**
 * For so long after its first event a stream is held back while it has no content: until then another target can answer
 * without the caller noticing.
 */
export const CONTENT_PATIENCE_MS = 15_000
/** With so many events, or so much text in them, it is handed over all the same. */
const WITHOUT_CONTENT_MAX = 1_000
export const HELD_BACK_LENGTH_MAX = 1024 * 1024
/** An answer that has its finish reasons and its usage ends when the provider is silent for so long. */
export const COMPLETE_SILENCE_MS = 1_000
/** The same where no usage was reported: it may still come. */
export const FINISHED_SILENCE_MS = 5_000
/** A connection whose answer is over is closed if its body has not ended after so long. */
export const DRAIN_MS = 1_000

export interface StreamTerms {
  readonly route: Route
  readonly decoder: StreamDecoder
  /** Takes room for a frame that has not ended. */
  readonly share: AnswerShare
  /** Aborting it before the stream is handed over ends the call with `CallAborted`. */
  readonly signal: AbortSignal
  /** Called where the call ends so, with the usage that was reported by then. */
  readonly onReportBefore: (usage: ReportedUsage) => void
  /** Called with the word of a choice that ended for a reason that no list has. */
  readonly onUnknownFinish: (word: string) => void
}

/**
 * Reads a streamed body until its first content (text, reasoning, a refusal, a call) or its end is in hand, at most for
 * `CONTENT_PATIENCE_MS` after its first valid event, then hands it over. Until then a failure rejects, so that another target
 * can be tried; after it, a failure is an `error` event.
 */
export function openEventStream(
  response: HttpResponse,
  { route, decoder, share, signal, onReportBefore, onUnknownFinish }: StreamTerms,
): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const frames = splitFrames(route.format.framing)
    let waiting: AnswerEvent[] = []
    /** How much text waits. */
    let heldBack = 0
    let listener: EventListener | undefined
    /** A valid event has come. */
    let begun: true | undefined
    let opened = false
    let spoken = false
    let over = false
    /** Of an answer that is whole but for its provider's word, or of a body behind its end. */
    let timer: ReturnType<typeof setTimeout> | undefined
    /** Before the stream is handed over. */
    let reported: ReportedUsage | undefined
    let opening: ReturnType<typeof setTimeout> | undefined

    const stream: EventStream = {
      consume(to) {
        listener = to
        const events = waiting
        waiting = []
        try {
          if (events.length > 0) to.events(events)
        } catch (cause) {
          return breakOff(notTaken(cause))
        }
        if (over) to.done()
        // Of a body behind the end only the end is still read.
        response.resume()
      },
      pause() {
        // Of a complete answer only the last frame is still to come.
        if (decoder.state !== 'complete') response.pause()
      },
      resume: () => response.resume(),
      abort() {
        over = true
        clearTimeout(timer)
        share.release()
        response.abort()
      },
    }

    function deliver(events: AnswerEvent[]): void {
      if (events.length === 0 || over) return
      const normal = normaliseEvents(events, route)
      const failed = normal.findIndex((event) => event.type === 'error')
      const until = failed === -1 ? normal : normal.slice(0, failed + 1)
      for (const event of until) {
        if (event.type === 'finish' && event.unknownWord !== undefined) onUnknownFinish(event.unknownWord)
      }
      if (!spoken && until.some(saysSomething)) speak()
      if (opened) {
        pass(until)
      } else {
        waiting.push(...until)
        for (const event of until) reported = reportAfter(reported, event)
        if (!begun && until.some(isFirstValidEvent)) begin()
        if (begun && (until.some(hasContent) || isTooMuch(until))) open()
      }
      if (failed !== -1) finish(until.at(-1))
    }

    function isTooMuch(more: readonly AnswerEvent[]): boolean {
      heldBack += textLength(more, HELD_BACK_LENGTH_MAX)
      return waiting.length > WITHOUT_CONTENT_MAX || heldBack > HELD_BACK_LENGTH_MAX
    }

    function speak(): void {
      spoken = true
      response.spoken()
    }

    function begin(): void {
      begun = true
      response.firstEventSeen()
      signal.addEventListener('abort', leave)
      opening = setTimeout(open, CONTENT_PATIENCE_MS)
    }

    function leave(): void {
      stopWaiting()
      if (reported) onReportBefore(reported)
      stream.abort()
      reject(new CallAborted())
    }

    function stopWaiting(): void {
      clearTimeout(opening)
      signal.removeEventListener('abort', leave)
    }

    function open(): void {
      opened = true
      stopWaiting()
      // The caller is not there yet: hold the flow until it consumes.
      response.pause()
      resolve(stream)
    }

    function pass(events: AnswerEvent[]): void {
      if (listener) listener.events(events)
      else waiting.push(...events)
    }

    /** Something has thrown on the way to the listener: this call ends as failed, and no other. */
    function breakOff(failure: UpstreamFailure): void {
      const last: AnswerEvent = { type: 'error', failure }
      response.abort()
      over = false
      try {
        pass([last])
      } catch (cause) {
        // A listener that does not take the error either still has to know that nothing follows.
        finish(last)
        throw cause
      }
      finish(last)
    }

    /** A decoder that has all it needs makes no error of a connection lost after the end. */
    function takeRest(failure: UpstreamFailure): void {
      const rest = decoder.end()
      if (rest.some((event) => event.type === 'error')) {
        deliver([...rest.filter((event) => event.type !== 'error'), { type: 'error', failure }])
      } else {
        deliver(rest)
        finish(undefined)
      }
    }

    /** The end may be in hand already: then it is not waited for any longer than a provider that says so needs. */
    function awaitEnd(): void {
      clearTimeout(timer)
      if (over) return
      switch (decoder.state) {
        case 'open':
          return
        case 'over':
          finish(undefined)
          timer = setTimeout(() => response.abort(), DRAIN_MS)
          return
        case 'finished':
          timer = setTimeout(endSilence, FINISHED_SILENCE_MS)
          return
        case 'complete':
          response.resume()
          timer = setTimeout(endSilence, COMPLETE_SILENCE_MS)
      }
    }

    function endSilence(): void {
      deliver(decoder.end().map(asCut))
      finish(undefined)
      response.abort()
    }

    function finish(last: AnswerEvent | undefined): void {
      if (over) return
      over = true
      clearTimeout(timer)
      share.release()
      const failed = last?.type === 'error'
      if (failed) response.abort()
      if (!opened && begun && !failed) open()
      stopWaiting()
      if (opened) return listener?.done()
      if (!failed) return reject(new UpstreamError(noEvent(response.status)))
      reject(new UpstreamError(begun ? { ...last.failure, begun } : last.failure))
    }

    response.consume({
      data(bytes) {
        if (over) return
        let heard = false
        for (const frame of frames.push(bytes)) {
          const events = decoder.push(frame)
          heard ||= events.length > 0
          deliver(events)
        }
        const noRoom = over ? undefined : share.keep(frames.kept)
        if (noRoom) deliver([{ type: 'error', failure: noRoom }])
        if (heard || decoder.state === 'over') awaitEnd()
      },
      end() {
        clearTimeout(timer)
        if (over) return
        for (const frame of frames.end()) deliver(decoder.push(frame))
        deliver(decoder.end().map(asCut))
        finish(undefined)
      },
      fail(error) {
        clearTimeout(timer)
        try {
          takeRest(error.failure)
        } catch (cause) {
          breakOff(error.failure)
          throw cause
        }
      },
    })
  })
}

function hasContent(event: AnswerEvent): boolean {
  return event.type === 'delta' && hasText(event.delta)
}

/** Text, a refusal or a call: what only shows reasoning may be followed by more of it out of sight. */
function saysSomething(event: AnswerEvent): boolean {
  if (event.type !== 'delta') return false
  const { reasoning_content: _, reasoning_details: __, ...speech } = event.delta
  return hasText(speech)
}

/** What a decoder misses at the end of a body was cut off. */
function asCut(event: AnswerEvent): AnswerEvent {
  return event.type === 'error' ? { type: 'error', failure: { code: CUT, ...event.failure } } : event
}

function notTaken(cause: unknown): UpstreamFailure {
  const why = cause instanceof Error ? cause.message : String(cause)
  return { kind: 'invalid_answer', detail: `the events could not be taken: ${why}` }
}

function noEvent(status: number): UpstreamFailure {
  return { kind: 'invalid_answer', status, code: 'no_event', detail: 'the stream ended before any event' }
}
