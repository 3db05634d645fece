import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'

/** Calls of one request at the same time. */
export const PARALLEL_CALLS_MAX = 8
/** How often one request waits for a provider's rate limit, over all of its parallel calls. */
export const LIMITED_WAITS_MAX = 32
/** A provider that asks for a longer wait ends the answer. */
export const LIMITED_WAIT_MS_MAX = 10_000
/** Where it names no wait: doubled with each wait of the same call. */
const LIMITED_WAIT_FIRST_MS = 500

export interface ParallelCallsOptions<Answer> {
  /** How many calls make the answer. */
  readonly count: number
  /** How many may run now; at least one always may. Called before each start. */
  readonly roomFor: () => number
  /** Makes one of them. Its answer may go on after this has resolved: then `ended` says when it is over. */
  readonly call: (index: number, signal: AbortSignal) => Promise<Answer>
  /** Of the whole request. */
  readonly signal: AbortSignal
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Called when a call was refused by a rate limit and will be made again. */
  readonly onLimited: (failure: UpstreamFailure) => void
  /** Called with how many are under way, with those whose answers go on. */
  readonly onRunning: (running: number) => void
  readonly onAnswer: (index: number, answer: Answer) => void
  /** All calls are aborted, and none is started any more. Called at most once. */
  readonly onFailed: (error: unknown) => void
}

/** The parallel calls of one request: as many at the same time as there is room for, and none after the first failure. */
export interface ParallelCalls {
  start(): void
  /** The answer of a call is over: another may start in its place. */
  ended(): void
  /** Aborts all. `onFailed` is not called. */
  stop(): void
  /** Calls that are made now, or whose answers go on. */
  readonly running: number
  /** Calls that are neither answered nor under way: they wait for room, or for a rate limit. */
  readonly waiting: number
}

export function createParallelCalls<Answer>(options: ParallelCallsOptions<Answer>): ParallelCalls {
  const siblings = new AbortController()
  const signal = AbortSignal.any([options.signal, siblings.signal])
  const queue = Array.from({ length: options.count }, (_, index) => index)
  const triesOf = new Map<number, number>()
  let running = 0
  let answered = 0
  let waits = 0
  let paused = 0
  let over = false

  function run(more: 1 | -1): void {
    running += more
    options.onRunning(running)
  }

  function startMore(): void {
    if (over) return
    while (queue.length > 0 && running < Math.max(1, options.roomFor())) {
      const index = queue.shift()
      if (index === undefined) return
      run(1)
      options.call(index, signal).then(
        (answer) => {
          if (over) return
          answered += 1
          options.onAnswer(index, answer)
        },
        (error: unknown) => refused(index, error),
      )
    }
  }

  function refused(index: number, error: unknown): void {
    if (over) return
    run(-1)
    const limited = error instanceof UpstreamError && error.failure.kind === 'rate_limited' && error.failure
    const ms = limited ? waitAfter(index, limited) : undefined
    if (!limited || ms === undefined) return fail(error)
    waits += 1
    paused += 1
    triesOf.set(index, (triesOf.get(index) ?? 0) + 1)
    options.onLimited(limited)
    options.sleep(ms, signal).then(
      () => {
        paused -= 1
        queue.unshift(index)
        startMore()
      },
      (cause: unknown) => fail(cause),
    )
  }

  /** A rate limit that others of this request have passed is waited for; undefined: the call has failed. */
  function waitAfter(index: number, { retryAfterMs }: UpstreamFailure): number | undefined {
    if (waits >= LIMITED_WAITS_MAX || answered + running === 0) return undefined
    const doubled = LIMITED_WAIT_FIRST_MS * 2 ** (triesOf.get(index) ?? 0)
    const ms = retryAfterMs ?? doubled
    return ms > LIMITED_WAIT_MS_MAX ? undefined : ms
  }

  function fail(error: unknown): void {
    if (over) return
    stop()
    options.onFailed(error)
  }

  function stop(): void {
    over = true
    siblings.abort()
  }

  return {
    start: startMore,
    ended() {
      run(-1)
      startMore()
    },
    stop,
    get running() {
      return running
    },
    get waiting() {
      return queue.length + paused
    },
  }
}
