import { estimateTokens } from '../core/tokenEstimate.ts'

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
/** A count that takes longer is estimated, and the tokenizer is started afresh. */
const COUNT_TIMEOUT_MS = 10_000
/** Its tables take some 50 MB: without work for so long, they are let go. */
const IDLE_MS = 60_000

export interface TokenizerOptions {
  readonly idleMs?: number
  readonly timeoutMs?: number
  /** Starts the thread that counts. */
  readonly startThread?: () => Worker
}

interface Waiting {
  readonly text: string
  readonly resolve: (count: number) => void
}

/** Starts the tokenizer in a thread of its own with the first count: its tables never weigh on the main one. */
export function createTokenizer(options: TokenizerOptions = {}): Tokenizer {
  const { idleMs = IDLE_MS, timeoutMs = COUNT_TIMEOUT_MS, startThread = startTokenizerThread } = options
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let nextId = 0
  let waitingCharacters = 0

  function start(): Worker {
    const started = startThread()
    started.unref()
    started.addEventListener('message', ({ data }: MessageEvent<CountAnswer>) => {
      settle(data.id, data.count)
      watch()
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

  function settle(id: number, count: number): void {
    const entry = waiting.get(id)
    if (!entry) return
    waiting.delete(id)
    waitingCharacters -= entry.text.length
    entry.resolve(count)
  }

  /** While there is work, something must come of it in time; without work, the thread ends after a while. */
  function watch(): void {
    clearTimeout(timer)
    timer = setTimeout(stop, waiting.size > 0 ? timeoutMs : idleMs)
    timer.unref()
  }

  function stop(): void {
    clearTimeout(timer)
    worker?.terminate()
    worker = undefined
    for (const [id, { text }] of waiting) settle(id, estimateTokens(text))
  }

  return {
    count(text) {
      if (text === '') return Promise.resolve(0)
      if (waitingCharacters + text.length > WAITING_CHARACTERS_MAX)
        return Promise.resolve(estimateTokens(text))
      const id = nextId++
      const answer = new Promise<number>((resolve) => waiting.set(id, { text, resolve }))
      waitingCharacters += text.length
      worker ??= start()
      worker.postMessage({ id, text } satisfies CountRequest, { transfer: [] })
      if (waiting.size === 1) watch()
      return answer
    },
    close: stop,
  }
}

/** The thread that holds the tokenizer's tables. */
export function startTokenizerThread(): Worker {
  return new Worker(new URL('./tokenizerWorker.ts', import.meta.url))
}
