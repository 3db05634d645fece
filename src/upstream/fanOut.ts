import type { ChatEvent } from '../core/chat/event.ts'
import { reportAfter } from '../core/chat/reportAfter.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import type { ChatResponse } from '../core/chat/response.ts'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import { type ReportedUsage, sumUsage } from '../core/usage.ts'
import type { EventListener, EventStream } from './eventStream.ts'
import { type ParallelCalls, type ParallelCallsOptions, createParallelCalls } from './parallelCalls.ts'
import type { Route } from './route.ts'

/**
 * How many calls make the request's `n` choices on this route: one if the provider takes `n`. Only this decides it: a
 * codec sends the `n` that it is given.
 */
export function callsFor(request: ChatRequest, { format, provider }: Route): number {
  if (request.n === 1) return 1
  const takesN = provider.provider.quirks.supportsN ?? format.choices === 'n'
  return takesN ? 1 : request.n
}

/** Joins answers of one choice each into one answer of many, as far as they have come; their usage is summed. */
function joinResponses(responses: readonly (ChatResponse | undefined)[]): ChatResponse {
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
  call: (signal: AbortSignal) => Promise<ChatResponse>,
  onPart: (part: ChatResponse) => void,
): Promise<ChatResponse> {
  return new Promise((resolve, reject) => {
    const responses: (ChatResponse | undefined)[] = Array.from({ length: together.count }, () => undefined)
    const calls = createParallelCalls<ChatResponse>({
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
 * Resolves when one has begun and none is under way that has not; the others begin as there is room. The first error ends
 * all of them. Until every call has reported its usage, the sum lacks calls.
 */
export function callAllStreams(
  together: Together,
  call: (signal: AbortSignal) => Promise<EventStream>,
): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const begun = new Map<number, EventStream>()
    let joined: JoinedStream | undefined

    function handOver(): void {
      if (joined || begun.size === 0 || begun.size < calls.running) return
      joined = joinStreams(together.count, begun, calls)
      resolve(joined)
    }

    const calls = createParallelCalls<EventStream>({
      ...together,
      call: (_, signal) => call(signal),
      onLimited(failure) {
        together.onLimited(failure)
        handOver()
      },
      onAnswer(index, stream) {
        if (joined) return joined.add(index, stream)
        begun.set(index, stream)
        handOver()
      },
      onFailed(error) {
        for (const stream of begun.values()) stream.abort()
        if (joined) joined.fail(error)
        else reject(error)
      },
    })
    calls.start()
  })
}

interface JoinedStream extends EventStream {
  add(index: number, stream: EventStream): void
  fail(error: unknown): void
}

function joinStreams(
  count: number,
  begun: ReadonlyMap<number, EventStream>,
  calls: Pick<ParallelCalls, 'ended' | 'stop'>,
): JoinedStream {
  const streams = new Map(begun)
  const usages: (ReportedUsage | undefined)[] = Array.from({ length: count }, () => undefined)
  let listener: EventListener | undefined
  /** Set when a later call failed before anyone listened. */
  let failed: UpstreamFailure | undefined
  let open = count
  /** Choices that have their finish reason. */
  let finished = 0
  let paused = false

  function abort(): void {
    open = 0
    calls.stop()
    for (const stream of streams.values()) stream.abort()
  }

  function endWith(failure: UpstreamFailure): void {
    if (open <= 0) return
    abort()
    failed = failure
    if (listener) tellFailure(listener, failure)
  }

  function follow(index: number, stream: EventStream, to: EventListener): void {
    stream.consume({
      events(events) {
        if (open <= 0) return
        const own: ChatEvent[] = []
        const reported = usages[index]
        for (const event of events) {
          usages[index] = reportAfter(usages[index], event)
          if (event.type === 'finish') finished += 1
          if (event.type !== 'error' && event.type !== 'usage') own.push(withIndex(event, index))
        }
        const sum = usages[index] === reported ? undefined : sumUsage(usages)
        if (sum) own.push({ type: 'usage', usage: sum })
        if (own.length > 0) to.events(own)
        const last = events.at(-1)
        if (last?.type === 'error') endWith(finished > 0 ? afterOthers(last.failure) : last.failure)
      },
      done() {
        if (open <= 0) return
        open -= 1
        if (open === 0) return to.done()
        calls.ended()
      },
    })
    if (paused) stream.pause()
  }

  return {
    consume(to) {
      listener = to
      if (failed) return tellFailure(to, failed)
      for (const [index, stream] of streams) follow(index, stream, to)
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
      if (listener) follow(index, stream, listener)
    },
    fail(error) {
      endWith(failureAfterOthers(error))
    },
  }
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

function withIndex(event: ChatEvent, index: number): ChatEvent {
  return event.type === 'delta' || event.type === 'finish' ? { ...event, index } : event
}
