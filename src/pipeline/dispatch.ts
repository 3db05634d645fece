import type { ChatRequest } from '../core/chat/request.ts'
import type { ChatResponse } from '../core/chat/response.ts'
import { GatewayError, refuse } from '../core/error.ts'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import type { Attempt } from '../core/ports/books.ts'
import { refusalOf } from '../core/refusalOf.ts'
import { afterFailure, backoffMs } from '../upstream/afterFailure.ts'
import { type CallOptions, callStream, callWhole } from '../upstream/call.ts'
import type { EventStream } from '../upstream/eventStream.ts'
import { callsFor, joinResponses, joinStreams } from '../upstream/fanOut.ts'
import { type Route, routeName } from '../upstream/route.ts'
import { UnsupportedField } from '../wire/wire.ts'
import type { PipelineDeps } from './deps.ts'
import type { Plan } from './plan.ts'

/** Calls to providers for one request, retries and fallbacks together. */
export const ATTEMPTS_MAX = 6
/** What a 503 suggests to wait when no provider said. */
const RETRY_AFTER_SECONDS_DEFAULT = 5
const RETRY_AFTER_SECONDS_MAX = 60

/** An answer that has begun: whole, or as a stream with its first valid event in hand. */
export interface Answer {
  readonly route: Route
  readonly body:
    | { readonly kind: 'whole'; readonly response: ChatResponse }
    | { readonly kind: 'stream'; readonly stream: EventStream }
  readonly firstEventAt: number
  /** Calls that made this answer: `n` where choices are made by parallel calls. */
  readonly calls: number
}

/** What the attempts of a request leave behind, whatever comes of it. */
export interface DispatchLog {
  readonly attempts: Attempt[]
  /** Whether any provider may have worked on the request. */
  sent: boolean
  /** Request fields that the answering target could not take. */
  dropped: readonly string[]
}

export type AnswerMode = 'whole' | 'stream'

/** Tries the routes in order until one answers. Throws `GatewayError`: 400, 502 or 503. */
export async function dispatch(
  plan: Plan,
  mode: AnswerMode,
  log: DispatchLog,
  id: string,
  signal: AbortSignal,
  deps: PipelineDeps,
): Promise<Answer> {
  const failures: UpstreamFailure[] = []
  let unsupported: UnsupportedField | undefined
  for (const route of deps.router.order(plan.routes, plan.request)) {
    for (let tries = 1; log.attempts.length < ATTEMPTS_MAX; tries++) {
      const credential = deps.router.credential(route)
      if (credential === null) break
      const startedAt = deps.now()
      log.dropped = []
      try {
        const answer = await callRoute(plan.request, mode, {
          route,
          credential,
          authorize: deps.authorize,
          signal,
          onSent: () => void (log.sent = true),
          onDropped: (fields) => void (log.dropped = fields),
        })
        const firstEventAt = deps.now()
        deps.router.answered(route, credential, firstEventAt - startedAt)
        log.attempts.push(attemptOf(route, startedAt, firstEventAt, 'answered'))
        return { route, body: answer, firstEventAt, calls: callsFor(plan.request, route) }
      } catch (error) {
        if (error instanceof UnsupportedField) {
          unsupported ??= error
          break
        }
        if (!(error instanceof UpstreamError) || signal.aborted) throw error
        const { failure } = error
        failures.push(failure)
        log.attempts.push(attemptOf(route, startedAt, deps.now(), failure.kind, failure.status))
        deps.router.failed(route, credential, failure)
        deps.events.attemptFailed({
          id,
          route: routeName(route),
          kind: failure.kind,
          status: failure.status,
          detail: failure.detail,
        })
        const move = afterFailure(failure, tries)
        if (move === 'stop') throw new GatewayError(refusalOf(failure), { cause: error })
        if (move === 'next') break
        await deps.sleep(backoffMs(failure, tries, deps.random()), signal)
        if (signal.aborted) throw error
      }
    }
  }
  if (failures.length === 0 && unsupported) throw unsupportedRefusal(unsupported)
  throw exhausted(failures, deps.router.retryAfterMs(plan.routes))
}

async function callRoute(
  request: ChatRequest,
  mode: AnswerMode,
  options: CallOptions,
): Promise<Answer['body']> {
  const calls = callsFor(request, options.route)
  if (calls === 1) {
    return mode === 'whole'
      ? { kind: 'whole', response: await callWhole(request, options) }
      : { kind: 'stream', stream: await callStream(request, options) }
  }
  const single = { ...request, n: 1 }
  // One call that fails makes the answer fail: the others are not worth waiting or paying for.
  const siblings = new AbortController()
  const together = { ...options, signal: AbortSignal.any([options.signal, siblings.signal]) }
  try {
    if (mode === 'whole') {
      const responses = await Promise.all(Array.from({ length: calls }, () => callWhole(single, together)))
      return { kind: 'whole', response: joinResponses(responses) }
    }
    const streams = await Promise.all(Array.from({ length: calls }, () => callStream(single, together)))
    return { kind: 'stream', stream: joinStreams(streams) }
  } catch (error) {
    siblings.abort()
    throw error
  }
}

function attemptOf(
  route: Route,
  startedAt: number,
  endedAt: number,
  outcome: Attempt['outcome'],
  status?: number,
): Attempt {
  return {
    provider: route.provider.name,
    upstreamModel: route.target.upstreamModel,
    startedAt,
    endedAt,
    outcome,
    ...(status !== undefined && { status }),
  }
}

/** No target is left: what the caller is told is the most hopeful of the failures (rulings, "Errors"). */
function exhausted(failures: readonly UpstreamFailure[], retryAfterMs: number): GatewayError {
  const waiting = failures.filter(({ kind }) => kind === 'rate_limited' || kind === 'overloaded')
  const last = failures.at(-1)
  if (last && waiting.length === 0) {
    return new GatewayError(refusalOf(last), { internal: last.detail })
  }
  const asked = Math.max(retryAfterMs, ...waiting.map((failure) => failure.retryAfterMs ?? 0))
  const seconds = Math.ceil(asked / 1000) || RETRY_AFTER_SECONDS_DEFAULT
  return new GatewayError(
    refuse('service_unavailable', 'No provider can take this request at the moment. Retry later.', {
      retryAfterSeconds: Math.min(seconds, RETRY_AFTER_SECONDS_MAX),
    }),
  )
}

function unsupportedRefusal(error: UnsupportedField): GatewayError {
  return new GatewayError(refuse('invalid_request', error.message, { param: error.param }), { cause: error })
}
