import type { AnswerEvent } from '../core/answer/event.ts'

/** The code of a failure in which the provider closed the connection before its answer was whole. */
export const CUT = 'cut'

/** A streamed answer whose first valid event is in hand. Events are pushed; a chunk costs no promise. */
export interface EventStream {
  /** Starts delivery, with the events already in hand first. To be called exactly once. */
  consume(listener: EventListener): void
  /** Stops reading from the provider until `resume`: back-pressure. */
  pause(): void
  resume(): void
  /** Closes the connection to the provider. No callback follows. */
  abort(): void
}

/** Callbacks are synchronous. */
export interface EventListener {
  /** One or more events in order; a failure arrives as an `error` event and is the last. */
  events(events: readonly AnswerEvent[]): void
  /** The answer is over: whole, or after its `error` event. */
  done(): void
}

/** Whether an event proves that the provider answers: only then may the caller see a 200. */
export function isFirstValidEvent(event: AnswerEvent): boolean {
  return event.type === 'start' || event.type === 'delta' || event.type === 'finish'
}

/** A stream over events that are all in hand already: a whole answer served as a stream. */
export function streamOf(events: readonly AnswerEvent[]): EventStream {
  return {
    consume(listener) {
      listener.events(events)
      listener.done()
    },
    pause: () => undefined,
    resume: () => undefined,
    abort: () => undefined,
  }
}
