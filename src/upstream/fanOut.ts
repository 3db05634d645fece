import type { ChatEvent } from '../core/chat/event.ts'
import { reportAfter } from '../core/chat/reportAfter.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import type { ChatResponse } from '../core/chat/response.ts'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import { type ReportedUsage, addUsage } from '../core/usage.ts'
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

/**
 * Joins answers of one choice each into one answer of many; usage is summed, unknown if any is. Throws `UpstreamError`
 * if an answer has no choice: the caller must not get fewer choices than it asked for.
 */
function joinResponses(responses: readonly ChatResponse[]): ChatResponse {
  const choices = responses.map(({ choices: [choice] }, index) => {
    if (choice) return { ...choice, index }
    throw new UpstreamError({
      kind: 'invalid_answer',
      detail: 'one of several calls answered without a choice',
    })
  })
  const usage = sumUsage(responses.map((response) => response.usage))
  return { choices, extra: responses[0]?.extra ?? {}, ...(usage && { usage }) }
}

/** How the calls of one request run beside each other. */
export type Together = Pick<
  ParallelCallsOptions<never>,
  'count' | 'roomFor' | 'signal' | 'sleep' | 'onLimited' | 'onRunning'
>

/** Makes the calls for whole answers of one choice each, and joins them. Throws what the first failure was. */
export function callAllWhole(
  together: Together,
  call: (signal: AbortSignal) => Promise<ChatResponse>,
): Promise<ChatResponse> {
  return new Promise((resolve, reject) => {
    const responses: (ChatResponse | undefined)[] = Array.from({ length: together.count }, () => undefined)
    const calls = createParallelCalls<ChatResponse>({
      ...together,
      call: (_, signal) => call(signal),
      onAnswer(index, response) {
        responses[index] = response
        calls.ended()
        const whole = responses.filter((each) => each !== undefined)
        if (whole.length < together.count) return
        try {
          resolve(joinResponses(whole))
        } catch (error) {
          reject(error)
        }
      },
      onFailed: reject,
    })
    calls.start()
  })
}

/**
 * Makes the calls for streams of one choice each, and joins them: the call's ordinal becomes the choice's `index`.
 * Resolves when one has begun and none is under way that has not; the others begin as there is room. The first error ends
 * all of them. Usage is held back until every call has reported its own.
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

  /** As soon as all have reported it, and again when one corrects itself: not every stream comes to its end. */
  function tellUsage(): ChatEvent[] {
    const sum = sumUsage(usages)
    return sum ? [{ type: 'usage', usage: sum }] : []
  }

  function follow(index: number, stream: EventStream, to: EventListener): void {
    stream.consume({
      events(events) {
        if (open <= 0) return
        const own: ChatEvent[] = []
        for (const event of events) {
          usages[index] = reportAfter(usages[index], event)
          if (event.type === 'error') continue
          if (event.type === 'usage') own.push(...tellUsage())
          else own.push(withIndex(event, index))
        }
        if (own.length > 0) to.events(own)
        const last = events.at(-1)
        if (last?.type === 'error') endWith(last.failure)
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
      endWith(
        error instanceof UpstreamError
          ? error.failure
          : { kind: 'invalid_answer', detail: `one of several calls failed: ${String(error)}` },
      )
    },
  }
}

function tellFailure(listener: EventListener, failure: UpstreamFailure): void {
  listener.events([{ type: 'error', failure }])
  listener.done()
}

function withIndex(event: ChatEvent, index: number): ChatEvent {
  return event.type === 'delta' || event.type === 'finish' ? { ...event, index } : event
}

function sumUsage(usages: readonly (ReportedUsage | undefined)[]): ReportedUsage | undefined {
  let sum: ReportedUsage | undefined
  for (const usage of usages) {
    if (!usage) return undefined
    sum = sum ? addUsage(sum, usage) : usage
  }
  return sum
}
