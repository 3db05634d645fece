import type { AnswerEvent } from '../../core/answer/event.ts'
import { hasText } from '../../core/answer/hasText.ts'
import { reportAfter } from '../../core/answer/reportAfter.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import type { ReportedUsage } from '../../core/usage.ts'
import { CUT, type EventStream } from '../../upstream/eventStream.ts'
import { watchCallerStall } from './callerStall.ts'
import { createGrowing, type GrowingOptions } from './growth.ts'

/** A caller leaves, and the usage report of what it has got may still come: for so long, unless more text comes. */
const REPORT_PATIENCE_MS = 2_000

const ENDLESS: UpstreamFailure = {
  kind: 'invalid_answer',
  detail: 'events without text came far beyond every limit',
}

const SILENT: UpstreamFailure = { kind: 'timeout', code: 'quiet_timeout', detail: 'bytes came, but no event' }

/**
 * How a followed stream ended; `overrun`: its text went on far beyond its limit, and was ended there; `stalled`: its caller did not read until the provider closed the connection; `stopped`: the
 * process ends.
 */
export interface Ended {
  readonly how: 'whole' | 'failed' | 'left' | 'stalled' | 'exhausted' | 'overrun' | 'broken' | 'stopped'
  /** The choices that the provider finished, in order of arrival. */
  readonly finishes: readonly Finish[]
  /** The report that holds at the end. */
  readonly usage: ReportedUsage | undefined
  /** Text, reasoning or calls were passed on. */
  readonly spoke: boolean
  /** Of a `failed` stream. */
  readonly failure: UpstreamFailure | undefined
  /** What of ours was thrown while a `broken` stream was followed. */
  readonly cause: unknown
}

/** A choice's end, with what its provider says beside it. */
export type Finish = Extract<AnswerEvent, { type: 'finish' }>

export interface FollowOptions extends Pick<GrowingOptions, 'meter' | 'extend' | 'now'> {
  readonly stream: EventStream
  /** How many choices must finish. */
  readonly choices: number
  /** Gets each event before it is counted. */
  readonly watch: ((event: AnswerEvent) => void) | undefined
  /** Without a new event for so long the provider has failed, although bytes come. */
  readonly quietMs: number
  /**
   * Gets the events of the answer, in order, and before them the usage that is known before the text. Finishes, errors and
   * later usage are kept for `ended`.
   */
  readonly onEvents: (events: readonly AnswerEvent[]) => void
}

/** A streamed answer on its way: counted, its hold extended, its end awaited. */
export interface Following {
  readonly ended: Promise<Ended>
  /**
   * The caller has gone: lets go of the provider when more text comes, when its report has come, or soon. At once where
   * nothing was said yet.
   */
  leave(): void
  /** The process ends: so does the answer. */
  stop(): void
  /** The answer cannot go on for a reason that is not its provider's. */
  breakOff(failure: UpstreamFailure): void
  /** To be called about once a second. */
  tick(now: number): void
  /** Back-pressure: stops and restarts the flow from the provider. */
  pause(): void
  resume(): void
}

/** Whether the answer ends as one does: what is missing of it, its limit or its money has taken. */
export function isComplete({ how }: Ended): boolean {
  return how === 'whole' || how === 'exhausted' || how === 'overrun'
}

/** Follows a stream to its end, whoever ends it. */
export function follow(options: FollowOptions): Following {
  const { stream, choices, meter, watch, extend, now } = options
  const growing = createGrowing({
    meter,
    stream,
    extend,
    now,
    onCovered: () => safely(goOn),
    onUncovered: () => safely(cut),
    onBroken: (cause) => end('broken', undefined, cause),
  })
  const stall = watchCallerStall(now)
  const finishes: Finish[] = []
  const { promise, resolve } = Promise.withResolvers<Ended>()
  let usage: ReportedUsage | undefined
  let over = false
  let clientPaused = false
  /** Whether an event came since the last tick, and since which tick none has. */
  let heard = false
  let silentSince: number | undefined
  let leftAt: number | undefined
  /** What is not passed on before the hold covers it. */
  let waiting: AnswerEvent[] = []
  /** How many choices had finished when all was passed on. */
  let finishesBefore = 0
  /** The stream came to its end meanwhile. */
  let done = false
  /** Text has come, and was passed on. */
  let heardText = false
  let spoke = false

  function end(how: Ended['how'], failure?: UpstreamFailure, cause?: unknown): void {
    if (over) return
    over = true
    growing.stop()
    resolve({ how, finishes, usage, spoke, failure, cause })
    if (how !== 'whole') stream.abort()
  }

  /** A connection that was lost because nobody read from it is no failure of the provider. */
  function fail(failure: UpstreamFailure): void {
    const lost = failure.kind === 'connection' || failure.code === CUT
    if (lost && stall.toBlame()) return end('stalled')
    // What was not passed on is not charged.
    if (waiting.length > 0) meter.cutToCovered([])
    end('failed', failure)
  }

  /** Whatever is thrown on the way ends this call, and no other. */
  function safely(step: () => void): void {
    try {
      step()
    } catch (cause) {
      end('broken', undefined, cause)
    }
  }

  function leave(): void {
    if (over || leftAt !== undefined) return
    const mayReport = heardText && !isReported() && waiting.length === 0
    if (!mayReport) return end('left')
    leftAt = now()
    stream.resume()
  }

  function isReported(): boolean {
    return usage !== undefined && !usage.lacks
  }

  /** Of an answer whose caller has gone only the usage report is still awaited. */
  function takeReport(events: readonly AnswerEvent[]): void {
    for (const event of events) {
      if (event.type === 'error' || (event.type === 'delta' && hasText(event.delta))) return end('left')
      usage = reportAfter(usage, event)
    }
    if (isReported()) end('left')
  }

  function take(events: readonly AnswerEvent[]): void {
    if (over) return
    if (leftAt !== undefined) return takeReport(events)
    heard = true
    const answer: AnswerEvent[] = []
    let failure: UpstreamFailure | undefined
    for (const event of events) {
      watch?.(event)
      meter.take(event)
      usage = reportAfter(usage, event)
      if (event.type === 'finish') finishes.push(event)
      else if (event.type === 'error') failure = event.failure
      else if (event.type !== 'usage') answer.push(event)
      // Before the beginning of the answer: a format may say there what the prompt was.
      else if (!heardText) answer.unshift(event)
      heardText ||= event.type === 'delta' && hasText(event.delta)
    }
    const endless = meter.endless()
    if (endless === 'events') return end('failed', ENDLESS)
    if (waiting.length === 0) waiting = answer
    else waiting.push(...answer)
    if (!meter.exhausted()) passOn(waiting)
    // A model may have single tokens of many characters, and a caller may ask for them: what came is charged, up to the limit.
    if (endless === 'text') return waiting.length > 0 ? cut() : end('overrun')
    if (failure) fail(failure)
    else if (finishes.length < choices || waiting.length > 0) growing.ask()
  }

  function passOn(events: readonly AnswerEvent[]): void {
    waiting = []
    finishesBefore = finishes.length
    spoke = heardText
    meter.passed()
    if (events.length > 0) options.onEvents(events)
  }

  /** Passes on what the hold covers: the choices that finished behind it end there, too. */
  function cut(): void {
    finishes.length = finishesBefore
    passOn(meter.cutToCovered(waiting))
    end('exhausted')
  }

  function comeToEnd(): void {
    if (leftAt !== undefined) end('left')
    else if (waiting.length > 0) done = true
    else if (finishes.length < choices) fail(tooFewChoices(finishes.length))
    else end('whole')
  }

  /** The hold covers what was waiting for it. */
  function goOn(): void {
    passOn(waiting)
    if (done) comeToEnd()
    else if (!clientPaused) stream.resume()
  }

  // The consumer is attached in the next microtask, so that the caller holds the result before any callback.
  queueMicrotask(() => {
    if (over) return
    safely(() =>
      stream.consume({
        events: (events) => safely(() => take(events)),
        done: () => safely(comeToEnd),
      }),
    )
  })

  return {
    ended: promise,
    leave,
    stop: () => end('stopped'),
    breakOff: (failure) => end('failed', failure),
    tick(at) {
      growing.tick()
      if (growing.isHeldUp) return
      if (leftAt !== undefined) {
        if (at - leftAt >= REPORT_PATIENCE_MS) end('left')
        return
      }
      if (heard || clientPaused) silentSince = undefined
      heard = false
      silentSince ??= at
      if (at - silentSince >= options.quietMs) end('failed', SILENT)
    },
    pause() {
      stall.pause()
      clientPaused = true
      stream.pause()
    },
    resume() {
      stall.resume()
      clientPaused = false
      if (!meter.exhausted()) stream.resume()
    },
  }
}

function tooFewChoices(finished: number): UpstreamFailure {
  return { kind: 'invalid_answer', code: CUT, detail: `the stream ended with ${finished} finished choices` }
}
