import type { ChatRequest } from '../../core/chat/request.ts'
import type { ChatResponse } from '../../core/chat/response.ts'
import { GatewayError, refuse } from '../../core/error.ts'
import { UpstreamError, type UpstreamFailure } from '../../core/failure.ts'
import type { Attempt } from '../../core/ports/books.ts'
import { refusalOf } from '../../core/refusalOf.ts'
import { afterFailure, backoffMs } from '../../upstream/afterFailure.ts'
import { type CallOptions, callStream, callWhole } from '../../upstream/call.ts'
import type { EventStream } from '../../upstream/eventStream.ts'
import { callsFor, joinResponses, joinStreams } from '../../upstream/fanOut.ts'
import { CallAborted } from '../../upstream/http.ts'
import { type Route, routeName } from '../../upstream/route.ts'
import { saysItDoesNotStream } from '../../upstream/streamRefusals.ts'
import type { AnswerMode, Availability, RoutedCall } from '../../upstream/router.ts'
import { UnsupportedField } from '../../wire/wire.ts'
import type { PipelineDeps } from '../deps.ts'
import type { Plan } from '../plan/plan.ts'

/**
 * Calls to providers for one request: retries, rotated credentials and fallbacks together. At worst each of
 * them lasts as long as its provider's connect and first-event timeouts, with `RETRY_AFTER_MS_MAX` between.
 */
export const ATTEMPTS_MAX = 6
/** What a 503 suggests to wait when nobody knows. */
const RETRY_AFTER_SECONDS_DEFAULT = 5
export const RETRY_AFTER_SECONDS_MAX = 3600

/** An answer that has begun: whole, or as a stream with its first valid event in hand. */
export interface Answer {
  readonly route: Route
  readonly body:
    | { readonly kind: 'whole'; readonly response: ChatResponse }
    | { readonly kind: 'stream'; readonly stream: EventStream }
  /** When the provider may have begun to work on it. */
  readonly sentAt: number
  readonly firstEventAt: number
  /** Calls that made this answer: `n` where choices are made by parallel calls. */
  readonly calls: number
  /**
   * The output limit for each choice that it was asked for with, where that is lower than what was asked of us: the
   * balance pays no more.
   */
  readonly limit: number | undefined
}

/** What the attempts of a request leave behind, whatever comes of it. */
export interface DispatchLog {
  readonly attempts: Attempt[]
  /** The most prompts that one attempt has sent: up to `n` where choices are made by parallel calls. */
  sent: number
  /** Where it was sent last. */
  sentTo: Route | undefined
  /** The length of the body that was sent last: of several parallel calls, of each. */
  sentBytes: number
  /** Request fields that the answering target could not take. */
  dropped: readonly string[]
}

/** What one request has met on its way through the routes. */
interface Course {
  readonly plan: Plan
  readonly mode: AnswerMode
  readonly limitOf: LimitOf
  readonly log: DispatchLog
  readonly id: string
  readonly signal: AbortSignal
  readonly deps: PipelineDeps
  readonly failures: UpstreamFailure[]
  /** Routes that found the request too large. */
  readonly tooSmall: Route[]
  unsupported: UnsupportedField | undefined
}

/**
 * The output limit that hold and balance set on a route that is asked like this, in tokens for each choice; undefined
 * where they set none.
 */
export type LimitOf = (route: Route, mode: AnswerMode) => number | undefined

/** Tries the routes in order until one answers. Throws `GatewayError`: 400, 502 or 503. */
export async function dispatch(
  plan: Plan,
  mode: AnswerMode,
  limitOf: LimitOf,
  log: DispatchLog,
  id: string,
  signal: AbortSignal,
  deps: PipelineDeps,
): Promise<Answer> {
  const { router } = deps
  const course: Course = {
    plan,
    mode,
    limitOf,
    log,
    id,
    signal,
    deps,
    failures: [],
    tooSmall: [],
    unsupported: undefined,
  }
  const routes = router.order(plan.routes, plan.request, mode)
  for (let i = 0; i < routes.length && log.attempts.length < ATTEMPTS_MAX; i++) {
    const route = routes[i]
    if (!route || course.tooSmall.some((smaller) => !mayBeLarger(route, smaller))) continue
    const call = router.begin(route, modeOn(route, course))
    const answer = call && (await tryRoute(call, routes, i, course))
    if (answer) return answer
  }
  const { failures, unsupported } = course
  if (failures.length === 0 && unsupported) throw unsupportedRefusal(unsupported)
  throw exhausted(failures, router.availability(plan.routes))
}

/** Calls one target until it answers or has had its tries. Throws when no other may be tried either. */
async function tryRoute(
  first: RoutedCall,
  routes: readonly Route[],
  position: number,
  course: Course,
): Promise<Answer | undefined> {
  const { deps, signal, log } = course
  let call: RoutedCall | undefined = first
  let tries = 1
  while (call) {
    const outcome = await attempt(call, course)
    if (!(outcome instanceof UpstreamError)) return outcome
    const { failure } = outcome
    if (call.mode === 'stream' && saysItDoesNotStream(failure, course.plan.request)) {
      call = deps.router.begin(call.route, 'whole')
      continue
    }
    const rest = routes.slice(position + 1)
    const move = afterFailure(failure, tries, {
      credential: deps.router.hasOtherCredential(call),
      target: rest.length > 0 && deps.router.availability(rest).waitMs === 0,
    })
    if (move === 'stop') throw new GatewayError(refusalOf(failure), { cause: outcome })
    if (move === 'next_larger') course.tooSmall.push(call.route)
    // What has not been tried at all comes before another try here.
    if (log.attempts.length + rest.length >= ATTEMPTS_MAX) return undefined
    if (move === 'rotate') {
      call = deps.router.begin(call.route, call.mode)
    } else if (move === 'retry') {
      await deps.sleep(backoffMs(failure, tries, deps.random()), signal)
      if (signal.aborted) throw outcome
      tries += 1
      call = deps.router.again(call)
    } else {
      return undefined
    }
  }
  return undefined
}

/** One call: its answer, its failure, or undefined when the target cannot express the request. */
async function attempt(call: RoutedCall, course: Course): Promise<Answer | UpstreamError | undefined> {
  const { plan, log, signal, deps } = course
  const { route, credential, mode } = call
  const limit = takesLimit(route) ? course.limitOf(route, mode) : undefined
  const request = limit === undefined ? plan.request : { ...plan.request, maxTokens: limit }
  const startedAt = deps.now()
  log.dropped = []
  let sent = 0
  let sentAt: number | undefined
  let body: Answer['body'] | undefined
  try {
    body = await callRoute(request, mode, {
      route,
      credential,
      authorize: deps.authorize,
      signal,
      onSent(bodyBytes) {
        log.sent = Math.max(log.sent, ++sent)
        sentAt ??= deps.now()
        log.sentTo = route
        log.sentBytes = bodyBytes
      },
      onDropped: (fields) => void (log.dropped = fields),
    })
    const firstEventAt = deps.now()
    deps.router.answered(call, firstEventAt - startedAt)
    if (mode !== modeOn(route, course)) deps.streamRefusals.learn(plan.request, route)
    log.attempts.push(attemptOf(route, startedAt, firstEventAt, 'answered'))
    const calls = callsFor(plan.request, route)
    return { route, body, sentAt: sentAt ?? startedAt, firstEventAt, calls, limit }
  } catch (error) {
    if (body?.kind === 'stream') body.stream.abort()
    // A caller that leaves is nobody's failure.
    if (!(error instanceof UpstreamError) || error instanceof CallAborted || signal.aborted) {
      deps.router.abandoned(call)
      if (!(error instanceof UnsupportedField)) {
        if (signal.aborted) log.attempts.push(attemptOf(route, startedAt, deps.now(), 'client_left'))
        throw error
      }
      course.unsupported ??= error
      return undefined
    }
    const { failure } = error
    deps.router.failed(call, failure)
    course.failures.push(failure)
    log.attempts.push(attemptOf(route, startedAt, deps.now(), failure.kind, failure.status))
    deps.events.attemptFailed({ id: course.id, route: routeName(route), failure })
    return error
  }
}

/** A target that does not stream is asked for a whole answer, whatever the caller wants. */
function modeOn(route: Route, { mode, plan, deps }: Course): AnswerMode {
  return mode === 'stream' && deps.streamRefusals.refuses(plan.request, route) ? 'whole' : mode
}

/** A limit that nobody asked for is no reason to refuse the request. */
function takesLimit({ model, provider }: Route): boolean {
  const { dropFields = [] } = provider.provider.quirks
  return !model.unsupportedFields.includes('max_tokens') && !dropFields.includes('max_tokens')
}

/** Whether a route may take a prompt that was too long for another: a longer context, or another provider's limits. */
function mayBeLarger(route: Route, smaller: Route): boolean {
  if (route.model !== smaller.model) return route.model.contextLength > smaller.model.contextLength
  return route.provider.name !== smaller.provider.name
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

/** Nobody is called while every credential is refused or unpaid: the caller hears what it heard before. */
const REFUSED: UpstreamFailure = { kind: 'credential', detail: 'every credential is refused or unpaid' }

/** No target is left: what the caller is told is the most hopeful of the failures (rulings, "Errors"). */
function exhausted(failures: readonly UpstreamFailure[], { waitMs, refused }: Availability): GatewayError {
  const waiting = failures.filter(({ kind }) => kind === 'rate_limited' || kind === 'overloaded')
  const last = failures.findLast(({ kind }) => kind !== 'too_large') ?? failures.at(-1)
  if (last && waiting.length === 0) {
    return new GatewayError(refusalOf(last))
  }
  if (waiting.length === 0 && refused) return new GatewayError(refusalOf(REFUSED))
  const asked = waiting.flatMap(({ retryAfterMs }) => retryAfterMs ?? [])
  const ms = waitMs > 0 ? waitMs : asked.length > 0 ? Math.min(...asked) : 0
  const seconds = Math.ceil(ms / 1000) || RETRY_AFTER_SECONDS_DEFAULT
  return new GatewayError(
    refuse('service_unavailable', 'No provider can take this request at the moment. Retry later.', {
      retryAfterSeconds: Math.min(seconds, RETRY_AFTER_SECONDS_MAX),
    }),
  )
}

function unsupportedRefusal(error: UnsupportedField): GatewayError {
  return new GatewayError(refuse('invalid_request', error.message, { param: error.param }), { cause: error })
}
