import { estimateTokens } from '../core/tokenEstimate.ts'
import { ownFile } from '../program.ts'
import { sliceEnd } from './slices.ts'

/** Counts tokens as o200k does, for usage that a provider did not report. */
export interface Tokenizer {
  /** Never fails: when the tokenizer cannot count, it gives the upper-leaning estimate. */
  count(text: string): Promise<number>
  /** Lets go of the tokenizer; counts under way are answered with the estimate. */
  close(): void
}

export interface CountRequest {
  readonly id: number
  readonly text: string
}
export interface CountAnswer {
  readonly id: number
  readonly count: number
}

/** Characters that may wait for the tokenizer at the same time; the rest is estimated. */
const WAITING_CHARACTERS_MAX = 16 * 2 ** 20
/** So much is counted at a time: some 50 ms of the densest text. */
const PIECE_CHARACTERS = 16 * 1024
/** A count that takes longer is estimated. A tokenizer that gives nothing for so long is started afresh. */
const COUNT_TIMEOUT_MS = 10_000
/** Its tables take some 50 MB: without work for so long, they are let go. */
const IDLE_MS = 60_000

export interface TokenizerOptions {
  readonly idleMs?: number
  readonly timeoutMs?: number
  /** Starts the thread that counts. */
  readonly startThread?: () => Worker
}

/** A text that is being counted. */
interface Job {
  readonly text: string
  /** What of it is counted, in UTF-16 units, and its tokens. */
  at: number
  tokens: number
  readonly resolve: (count: number) => void
  readonly deadline: ReturnType<typeof setTimeout>
}

/**
 * Starts the tokenizer in a thread of its own with the first count: its tables never weigh on the main one. It counts piece by
 * piece, and of several texts first the one of which the least is left: a short text does not wait for a long one.
 */
export function createTokenizer(options: TokenizerOptions = {}): Tokenizer {
  const { idleMs = IDLE_MS, timeoutMs = COUNT_TIMEOUT_MS, startThread = startTokenizerThread } = options
  const jobs = new Map<number, Job>()
  let worker: Worker | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let nextId = 0
  let waitingCharacters = 0
  /** A piece is with the thread. */
  let counting = false

  function start(): Worker {
    const started = startThread()
    started.unref()
    started.addEventListener('message', ({ data }: MessageEvent<CountAnswer>) => {
      if (worker === started) take(data)
    })
    started.addEventListener('error', (event) => {
      event.preventDefault()
      if (worker === started) stop()
    })
    started.addEventListener('close', () => {
      if (worker === started) stop()
    })
    return started
  }

  function take({ id, count }: CountAnswer): void {
    counting = false
    const job = jobs.get(id)
    if (job) {
      job.at = pieceEnd(job)
      job.tokens += count
      if (job.at === job.text.length) settle(id, job.tokens)
    }
    countNext()
    watch()
  }

  function countNext(): void {
    if (counting) return
    let next: number | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [id, { text, at }] of jobs) {
      if (text.length - at >= least) continue
      least = text.length - at
      next = id
    }
    const job = next === undefined ? undefined : jobs.get(next)
    if (!job || next === undefined) return
    counting = true
    worker ??= start()
    const text = job.text.slice(job.at, pieceEnd(job))
    worker.postMessage({ id: next, text } satisfies CountRequest, { transfer: [] })
  }

  function settle(id: number, count: number): void {
    const job = jobs.get(id)
    if (!job) return
    jobs.delete(id)
    clearTimeout(job.deadline)
    waitingCharacters -= job.text.length
    job.resolve(count)
  }

  /** While there is work, something must come of it in time; without work, the thread ends after a while. */
  function watch(): void {
    clearTimeout(timer)
    timer = setTimeout(stop, jobs.size > 0 ? timeoutMs : idleMs)
    timer.unref()
  }

  function stop(): void {
    clearTimeout(timer)
    worker?.terminate()
    worker = undefined
    counting = false
    for (const [id, { text }] of jobs) settle(id, estimateTokens(text))
  }

  return {
    count(text) {
      if (text === '') return Promise.resolve(0)
      if (waitingCharacters + text.length > WAITING_CHARACTERS_MAX)
        return Promise.resolve(estimateTokens(text))
      const id = nextId++
      const answer = new Promise<number>((resolve) => {
        const deadline = setTimeout(() => settle(id, estimateTokens(text)), timeoutMs)
        deadline.unref()
        jobs.set(id, { text, at: 0, tokens: 0, resolve, deadline })
      })
      waitingCharacters += text.length
      countNext()
      if (jobs.size === 1) watch()
      return answer
    },
    close: stop,
  }
}

function pieceEnd({ text, at }: Job): number {
  return sliceEnd(text, at, PIECE_CHARACTERS)
}

/** The thread that holds the tokenizer's tables. */
export function startTokenizerThread(): Worker {
  return new Worker(ownFile('src/tokens/tokenizerWorker.ts'))
}
