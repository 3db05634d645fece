import { CallAborted, type HttpClient, type HttpRequest, type HttpResponse } from '../upstream/http.ts'
import { composeChoice } from './choice.ts'
import {
  demoCompletion,
  demoError,
  demoSteps,
  demoUsage,
  demoUsageEvent,
  DONE,
  type DemoEnvelope,
} from './demoAnswer.ts'
import { demoResponse } from './demoResponse.ts'
import { readDemoRequest, type DemoRequest } from './demoRequest.ts'

export interface DemoDeps {
  readonly tokenizer: { count(text: string): Promise<number> }
  /** Resolves after the time, or immediately when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** How fast a streamed answer is spoken; the header below overrules it, 0 is as fast as possible. */
const TOKENS_PER_SECOND = 50
const PACE_HEADER = 'x-demo-tokens-per-second'
/** Asks for an answer of exactly so many tokens. */
const LENGTH_HEADER = 'x-demo-output-tokens'
/** Bytes go out between two breaths of the event loop even when no pace is kept. */
const STEPS_PER_BREATH = 64

/**
 * A provider without a network: answers `demo://…/chat/completions` with the bytes an OpenAI-compatible
 * server would send. The same request gives the same answer.
 */
export function createDemoClient(deps: DemoDeps): HttpClient {
  return {
    async request(request) {
      if (request.signal?.aborted) throw new CallAborted()
      request.onSent?.()
      // A server answers in a later turn of the event loop.
      await deps.sleep(0, request.signal)
      if (request.signal?.aborted) throw new CallAborted()
      return answer(request, deps)
    },
    close() {},
  }
}

function answer(request: HttpRequest, deps: DemoDeps): HttpResponse {
  if (request.method !== 'POST' || !request.url.pathname.endsWith('/chat/completions'))
    return demoResponse(request, 404, 'application/json', () =>
      whole(demoError('The demo supports chat completions only.')),
    )
  const body = typeof request.body === 'string' ? request.body : new TextDecoder().decode(request.body)
  const asked = readDemoRequest(body)
  if (!asked)
    return demoResponse(request, 400, 'application/json', () =>
      whole(demoError('This is not a chat completion request.')),
    )
  const length = numberOf(request.headers[LENGTH_HEADER])
  const choices = Array.from({ length: asked.n }, (_, index) =>
    composeChoice({ seed: asked.seed + index, maxTokens: asked.maxTokens, stop: asked.stop, length }),
  )
  const envelope: DemoEnvelope = {
    id: `chatcmpl-demo-${asked.seed.toString(36)}`,
    created: Math.floor(deps.now() / 1000),
    model: asked.model,
  }
  const usage = async () => demoUsage(asked, await deps.tokenizer.count(asked.prompt), choices)
  if (!asked.stream)
    return demoResponse(request, 200, 'application/json', async function* () {
      yield demoCompletion(envelope, choices, await usage())
    })
  const pause = 1000 / (numberOf(request.headers[PACE_HEADER]) ?? TOKENS_PER_SECOND)
  return demoResponse(request, 200, 'text/event-stream', () =>
    stream(asked, demoSteps(envelope, choices, asked.includeUsage), {
      pause: Number.isFinite(pause) ? pause : 0,
      usageEvent: async () => demoUsageEvent(envelope, await usage()),
      sleep: (ms) => deps.sleep(ms, request.signal),
    }),
  )
}

interface Pace {
  readonly pause: number
  readonly usageEvent: () => Promise<string>
  readonly sleep: (ms: number) => Promise<void>
}

async function* stream(asked: DemoRequest, steps: readonly string[], pace: Pace): AsyncGenerator<string> {
  // Counted while the answer is spoken.
  const usageEvent = asked.includeUsage ? pace.usageEvent() : undefined
  for (const [index, step] of steps.entries()) {
    yield step
    if (pace.pause > 0 || index % STEPS_PER_BREATH === STEPS_PER_BREATH - 1) await pace.sleep(pace.pause)
  }
  if (usageEvent) yield await usageEvent
  yield DONE
}

async function* whole(body: string): AsyncGenerator<string> {
  yield body
}

function numberOf(header: string | undefined): number | undefined {
  const value = header === undefined || header === '' ? Number.NaN : Number(header)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}
