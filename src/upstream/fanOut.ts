import type { AnswerEvent } from '../core/answer/event.ts'
import { reportAfter } from '../core/answer/reportAfter.ts'
import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import type { RequestTraits } from '../core/traits.ts'
import { type ReportedUsage, sumUsage } from '../core/usage.ts'
import { collectEvents } from '../wire/collect.ts'
import type { EventListener, EventStream } from './eventStream.ts'
import { CONTENT_PATIENCE_MS } from './openEventStream.ts'
import { type ParallelCalls, type ParallelCallsOptions, createParallelCalls } from './parallelCalls.ts'
import type { Route } from './route.ts'

/**
 * How many calls make the request's `n` choices on this route: one if the provider takes `n`. Only this decides it: a
 * codec sends the `n` that it is given.
 */
export function callsFor(request: Pick<RequestTraits, 'n'>, { format, quirks }: Route): number {
  if (request.n === 1) return 1
  const takesN = quirks.supportsN ?? format.choices === 'n'
  return takesN ? 1 : request.n
}

/** Joins answers of one choice each into one answer of many, as far as they have come; their usage is summed. */
function joinResponses(responses: readonly (WholeAnswer | undefined)[]): WholeAnswer {
  const choices = responses.flatMap((response, index) => {
    const choice = response?.choices[0]
    return choice ? [{ ...choice, index }] : []
  })
  const usage = sumUsage(responses.map((response) => response?.usage))
  return { choices, extra: responses[0]?.extra ?? {}, ...(usage && { usage }) }
}

const NO_CHOICE: UpstreamFailure = {
  kind: 'invalid_answer',
  detail: 'one of several calls answered without a choice',
}

/** How the calls of one request run beside each other. */
export type Together = Pick<
  ParallelCallsOptions<never>,
  'count' | 'roomFor' | 'signal' | 'sleep' | 'onLimited' | 'onRunning'
>

/**
 * Makes the calls for whole answers of one choice each, and joins them. Throws what the first failure was.
 *
 * @param onPart called with the part of the answer that is in hand, each time it grows
 */
export function callAllWhole(
  together: Together,
  call: (signal: AbortSignal) => Promise<WholeAnswer>,
  onPart: (part: WholeAnswer) => void,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    const responses: (WholeAnswer | undefined)[] = Array.from({ length: together.count }, () => undefined)
    const calls = createParallelCalls<WholeAnswer>({
      ...together,
      call: (_, signal) => call(signal),
      onAnswer(index, response) {
        responses[index] = response
        const part = joinResponses(responses)
        onPart(part)
        if (response.choices.length === 0) {
          calls.stop()
          reject(new UpstreamError(NO_CHOICE))
        } else if (part.choices.length === together.count) {
          resolve(part)
        }
        calls.ended()
      },
      onFailed: reject,
    })
    calls.start()
  })
}

/**
 * Makes the calls for streams of one choice each, and joins them: the call's ordinal becomes the choice's `index`.
 * Resolves when one has begun and none is under way that has not, or soon; the others begin as there is room. Until then the
 * first error rejects, after it ends all of them. Until every call has reported its usage, the sum lacks calls.
 */
export function callAllStreams(
  together: Together,
  call: (signal: AbortSignal) => Promise<EventStream>,
  { patienceMs = CONTENT_PATIENCE_MS, onPart }: StreamsTerms,
): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    let handedOver = false
    let patience: ReturnType<typeof setTimeout> | undefined

    function handOver(): void {
      if (handedOver || joined.begun === 0) return
      if (calls.running > joined.going && patienceMs > 0) patience ??= setTimeout(resolveNow, patienceMs)
      else resolveNow()
    }

    function resolveNow(): void {
      clearTimeout(patience)
      handedOver = true
      resolve(joined)
    }

    function fail(error: unknown): void {
      clearTimeout(patience)
      if (handedOver) return joined.fail(error)
      if (together.signal.aborted) onPart(joined.part())
      joined.abort()
      reject(error)
    }

    const calls = createParallelCalls<EventStream>({
      ...together,
      call: (_, signal) => call(signal),
      onLimited(failure) {
        together.onLimited(failure)
        handOver()
      },
      onAnswer(index, stream) {
        joined.add(index, stream)
        handOver()
      },
      onFailed: fail,
    })
    const joined = joinStreams(together.count, calls, {
      failedBefore: (failure) => fail(new UpstreamError({ ...failure, begun: true })),
      isHandedOver: () => handedOver,
    })
    calls.start()
  })
}

export interface StreamsTerms {
  /** How long streams that have begun wait for those that have not, which could still be made elsewhere. 0: they do not. */
  readonly patienceMs?: number
  /** Called with what is in hand when the caller leaves before the streams are handed over. */
  readonly onPart: (part: WholeAnswer) => void
}

interface JoinedStream extends EventStream {
  /** How many streams have begun, and how many of them go on. */
  readonly begun: number
  readonly going: number
  add(index: number, stream: EventStream): void
  fail(error: unknown): void
  /** What has come and was not consumed. */
  part(): WholeAnswer
}

function joinStreams(
  count: number,
  calls: Pick<ParallelCalls, 'ended' | 'stop'>,
  {
    failedBefore,
    isHandedOver,
  }: { failedBefore: (failure: UpstreamFailure) => void; isHandedOver: () => boolean },
): JoinedStream {
  const streams = new Map<number, EventStream>()
  const usages: (ReportedUsage | undefined)[] = Array.from({ length: count }, () => undefined)
  let listener: EventListener | undefined
  /** What has come before anyone listened. */
  let waiting: AnswerEvent[] = []
  /** Set when a later call failed before anyone listened. */
  let failed: UpstreamFailure | undefined
  let open = count
  /** Choices that have their finish reason. */
  let finished = 0
  let ended = 0
  let paused = false

  function abort(): void {
    open = 0
    calls.stop()
    for (const stream of streams.values()) stream.abort()
  }

  /** @param isLater others had answered, or were to be answered before */
  function endWith(failure: UpstreamFailure, isLater: boolean): void {
    if (open <= 0) return
    if (!isHandedOver()) return failedBefore(failure)
    abort()
    failed = isLater ? afterOthers(failure) : failure
    if (listener) tellFailure(listener, failed)
  }

  function follow(index: number, stream: EventStream): void {
    stream.consume({
      events(events) {
        if (open <= 0) return
        const own: AnswerEvent[] = []
        const reported = usages[index]
        for (const event of events) {
          usages[index] = reportAfter(usages[index], event)
          if (event.type === 'finish') finished += 1
          if (event.type !== 'error' && event.type !== 'usage') own.push(withIndex(event, index))
        }
        const sum = usages[index] === reported ? undefined : sumUsage(usages)
        if (sum) own.push({ type: 'usage', usage: sum })
        if (listener && own.length > 0) listener.events(own)
        else waiting.push(...own)
        const last = events.at(-1)
        if (last?.type === 'error') endWith(last.failure, finished > 0)
      },
      done() {
        if (open <= 0) return
        open -= 1
        ended += 1
        calls.ended()
        if (open === 0) listener?.done()
      },
    })
    if (paused) stream.pause()
  }

  return {
    get begun() {
      return streams.size
    },
    get going() {
      return streams.size - ended
    },
    consume(to) {
      listener = to
      const events = waiting
      waiting = []
      if (events.length > 0) to.events(events)
      if (failed) tellFailure(to, failed)
      else if (ended === count) to.done()
    },
    pause() {
      paused = true
      for (const stream of streams.values()) stream.pause()
    },
    resume() {
      paused = false
      for (const stream of streams.values()) stream.resume()
    },
    abort,
    add(index, stream) {
      if (open <= 0) return stream.abort()
      streams.set(index, stream)
      follow(index, stream)
    },
    fail(error) {
      endWith(failureAfterOthers(error), true)
    },
    part() {
      const parts = Array.from({ length: count }, (_, index) => collectedOf(index, waiting))
      const usage = sumUsage(usages)
      const { choices, extra } = joinResponses(parts)
      return { choices, extra, ...(usage && { usage }) }
    },
  }
}

/** What has come of a choice, as if it had ended there. */
function collectedOf(index: number, events: readonly AnswerEvent[]): WholeAnswer | undefined {
  const own = events.filter((event) => 'index' in event && event.index === index)
  if (own.length === 0) return undefined
  const collected = collectEvents()
  for (const event of own) collected.push(withIndex(event, 0))
  if (!own.some(({ type }) => type === 'finish'))
    collected.push({ type: 'finish', index: 0, reason: 'length' })
  return collected.response()
}

/** Of a call that was to follow others of the same completion. */
export function failureAfterOthers(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamError) return afterOthers(error.failure)
  return afterOthers({ kind: 'invalid_answer', detail: `one of several calls failed: ${String(error)}` })
}

export function afterOthers(failure: UpstreamFailure): UpstreamFailure {
  return { ...failure, afterOthers: true }
}

function tellFailure(listener: EventListener, failure: UpstreamFailure): void {
  listener.events([{ type: 'error', failure }])
  listener.done()
}

function withIndex(event: AnswerEvent, index: number): AnswerEvent {
  return event.type === 'delta' || event.type === 'finish' ? { ...event, index } : event
}
