import type { ChatRequest } from '../../core/chat/request.ts'
import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { GatewayError } from '../../core/error.ts'
import { UpstreamError, type UpstreamFailure } from '../../core/failure.ts'
import type { WorkspaceId } from '../../core/id.ts'
import type { Attempt } from '../../core/ports/books.ts'
import { nano } from '../../core/money.ts'
import { refusalOf } from '../../core/refusalOf.ts'
import { afterFailure, backoffMs } from '../../upstream/afterFailure.ts'
import { type CallOptions, callStream, callWhole } from '../../upstream/call.ts'
import { type Together, callAllStreams, callAllWhole, callsFor } from '../../upstream/fanOut.ts'
import type { EventStream } from '../../upstream/eventStream.ts'
import { appendChoices, completeStream, completeWhole } from '../../upstream/furtherCalls.ts'
import { CallAborted } from '../../upstream/http.ts'
import { PARALLEL_CALLS_MAX } from '../../upstream/parallelCalls.ts'
import { type Route, routeName } from '../../upstream/route.ts'
import { withScopedIds } from '../../upstream/scopedIds.ts'
import { saysItDoesNotStream } from '../../upstream/streamRefusals.ts'
import type { AnswerEnd, AnswerMode, RoutedCall } from '../../upstream/router.ts'
import { UnsupportedField } from '../../wire/wire.ts'
import { promptCostOf } from '../admit/holdSize.ts'
import type { HeldCall } from '../call.ts'
import { unsupportedRefusal } from '../plan/expressible.ts'
import type { Answer, BrokenAnswer } from './answer.ts'
import { exhausted } from './exhausted.ts'

/**
 * Calls to providers for one request: retries, rotated credentials and fallbacks together. At worst each of
 * them lasts as long as its provider's connect and first-event timeouts, with `RETRY_AFTER_MS_MAX` between.
 */
export const ATTEMPTS_MAX = 6
/** What one request has met on its way through the routes. */
interface Course extends Pick<HeldCall, 'id' | 'plan' | 'log' | 'deps'> {
  readonly mode: AnswerMode
  readonly limitOf: LimitOf
  readonly signal: AbortSignal
  readonly failures: UpstreamFailure[]
  /** Routes that found the request too large. */
  readonly tooSmall: Route[]
  unsupported: UnsupportedField | undefined
  /** What the headers that have left say of the answer. */
  like: { readonly model: Route['model']; readonly dropped: string } | undefined
  /** A target that has refused to stream this request, and how. */
  refusal: { readonly route: Route; readonly failure: UpstreamFailure } | undefined
  readonly workspaceId: WorkspaceId
  readonly held: HeldCall
}

/**
 * The output limit that hold and balance set on a route that is asked like this, in tokens for each choice; undefined
 * where they set none.
 */
export type LimitOf = (route: Route, mode: AnswerMode) => number | undefined

/** The answers of a request, each resumed with the failure of the one before. */
export type Answers = AsyncGenerator<Answer, never, BrokenAnswer>

/**
 * Tries the routes in order until one answers, and goes on where that answer fails before its caller has seen anything of
 * it. Throws `GatewayError`: 400, 502 or 503.
 */
export async function* dispatch(call: HeldCall, mode: AnswerMode, limitOf: LimitOf): Answers {
  const { id, plan, log, deps } = call
  const { router } = deps
  const course: Course = {
    plan,
    mode,
    limitOf,
    log,
    id,
    signal: call.incoming.signal,
    deps,
    failures: [],
    tooSmall: [],
    unsupported: undefined,
    like: undefined,
    refusal: undefined,
    workspaceId: call.caller.workspace.id,
    held: call,
  }
  const { workspaceId } = course
  const routes = router.order(plan.routes, plan.request, mode, workspaceId)
  for (let i = 0; i < routes.length && log.attempts.length < ATTEMPTS_MAX; i++) {
    const route = routes[i]
    if (!route || course.tooSmall.some((smaller) => !mayBeLarger(route, smaller))) continue
    if (course.like && course.like.model !== route.model) continue
    const first = router.begin(route, workspaceId, modeOn(route, course))
    if (first) yield* tryRoute(first, routes, i, course)
  }
  const { failures, unsupported } = course
  if (failures.length === 0 && unsupported)
    throw new GatewayError(unsupportedRefusal(unsupported), { cause: unsupported })
  throw exhausted(failures, router.availability(plan.routes, workspaceId))
}

/** Calls one target until it has had its tries. Throws when no other may be tried either. */
async function* tryRoute(
  first: RoutedCall,
  routes: readonly Route[],
  position: number,
  course: Course,
): AsyncGenerator<Answer, void, BrokenAnswer> {
  const { deps, signal, log, workspaceId } = course
  const { router } = deps
  let call: RoutedCall | undefined = first
  let tries = 1
  /** With these it has failed here. */
  let tried: Set<RoutedCall['credential']> | undefined
  while (call) {
    const outcome = await attempt(call, course)
    if (!outcome) return
    const error = outcome instanceof UpstreamError ? outcome : brokenOff(outcome, yield outcome, course)
    const { failure } = error
    if (call.mode === 'stream' && saysItDoesNotStream(failure, course.plan.request)) {
      course.refusal = { route: call.route, failure }
      call = router.begin(call.route, workspaceId, 'whole')
      continue
    }
    tried ??= new Set()
    tried.add(call.credential)
    const rest = routes.slice(position + 1)
    const move = afterFailure(failure, tries, {
      credential: router.hasOtherCredential(call.route, workspaceId, tried),
      target: rest.length > 0 && router.availability(rest, workspaceId).waitMs === 0,
    })
    if (move === 'stop') throw new GatewayError(refusalOf(failure), { cause: error })
    if (move === 'next_larger') course.tooSmall.push(call.route)
    // What has not been tried at all comes before another try here.
    if (log.attempts.length + rest.length >= ATTEMPTS_MAX) return
    if (move === 'rotate') {
      call = router.begin(call.route, workspaceId, call.mode, tried)
    } else if (move === 'retry') {
      await deps.sleep(backoffMs(failure, tries, deps.random()), signal)
      if (signal.aborted) throw error
      tries += 1
      call = router.again(call)
    } else {
      return
    }
  }
}

/** An answer has failed before its caller has seen anything of it: it counts as an attempt that failed. */
function brokenOff(answer: Answer, how: BrokenAnswer, course: Course): UpstreamError {
  const { deps, log } = course
  const failure: UpstreamFailure = { ...how.failure, begun: true }
  const { route } = answer
  if (how.headersLeft) course.like = { model: route.model, dropped: log.dropped.join() }
  const endedAt = deps.now()
  const attempt = log.attempts.pop()
  const startedAt = attempt?.startedAt ?? answer.sentAt
  const status = failure.status === undefined ? {} : { status: failure.status }
  log.attempts.push(attemptOf(route, { startedAt, endedAt, outcome: failure.kind, ...status }))
  course.failures.push(failure)
  deps.events.answerFailed({ id: course.id, route: routeName(route), failure })
  deps.router.ended(route, course.workspaceId, endedWith(failure, endedAt - startedAt))
  return new UpstreamError(failure)
}

/** The end of an answer of which the caller has nothing. */
function endedWith(failure: UpstreamFailure, durationMs: number): AnswerEnd {
  return { failure, delivered: false, whole: false, outputTokens: 0, durationMs }
}

/** The headers that have left name other fields as left out. */
class OtherFields extends UnsupportedField {
  constructor() {
    super('', 'Other fields are left out here.')
  }
}

/** One call: its answer, its failure, or undefined when the target cannot express the request. */
async function attempt(call: RoutedCall, course: Course): Promise<Answer | UpstreamError | undefined> {
  const { plan, log, signal, deps, held } = course
  const { route, credential, mode } = call
  const limit = takesLimit(route) ? course.limitOf(route, mode) : undefined
  const scoped = withScopedIds(plan.request, course.workspaceId)
  const request = limit === undefined ? scoped : { ...scoped, maxTokens: limit }
  const startedAt = deps.now()
  log.dropped = []
  log.underway = undefined
  let sent = 0
  let sentAt: number | undefined
  let isLimited = limit !== undefined
  let body: Answer['body'] | undefined
  try {
    const options: CallOptions = {
      route,
      credential,
      authorize: deps.authorize,
      answers: deps.answers,
      completionId: course.id,
      workspaceId: course.workspaceId,
      signal,
      onSent(bodyBytes) {
        log.sent = Math.max(log.sent, ++sent)
        sentAt ??= deps.now()
        log.underway ??= { route, mode, sentAt, limit, part: undefined }
        log.sentTo = route
        log.sentBytes = bodyBytes
      },
      onReportBefore(usage) {
        // Of several calls one report says nothing of the others.
        if (log.underway && plan.request.n === 1) log.underway.part = { choices: [], usage }
      },
      onDropped(fields) {
        if (course.like && course.like.dropped !== fields.join()) throw new OtherFields()
        log.dropped = fields
      },
      onUnknownFinish: (word) =>
        deps.events.unknownFinish({
          id: course.id,
          route: routeName(route),
          provider: route.provider.name,
          word,
        }),
    }
    body =
      plan.request.n === 1
        ? await callOnce(request, mode, options)
        : await callForChoices(request, mode, options, {
            signal,
            roomFor: () => roomFor(held),
            sleep: deps.sleep,
            onLimited(failure) {
              deps.events.attemptFailed({ id: course.id, route: routeName(route), failure })
            },
            onRunning: (running) => void (held.parallel = running),
            onRefused: () => void (sent -= 1),
            onPart(part) {
              if (log.underway) log.underway.part = part
            },
            async pays(prompts) {
              const paid = await paysForPrompts(held, route, prompts)
              isLimited ||= !paid
              return paid
            },
          })
    const firstEventAt = deps.now()
    log.underway = undefined
    deps.router.answered(call, firstEventAt - startedAt)
    if (course.refusal?.route === route)
      deps.streamRefusals.learn(course.workspaceId, plan.request, route, course.refusal.failure)
    log.attempts.push(attemptOf(route, { startedAt, endedAt: firstEventAt, outcome: 'answered' }))
    return {
      route,
      body,
      sentAt: sentAt ?? startedAt,
      firstEventAt,
      // Parallel calls that wait for room may begin later.
      get calls() {
        return Math.max(1, sent)
      },
      limit,
      get isLimited() {
        return isLimited
      },
    }
  } catch (error) {
    if (body?.kind === 'stream') body.stream.abort()
    // A caller that leaves is nobody's failure.
    if (!(error instanceof UpstreamError) || error instanceof CallAborted || signal.aborted) {
      deps.router.abandoned(call)
      if (!(error instanceof UnsupportedField)) {
        if (signal.aborted)
          log.attempts.push(attemptOf(route, { startedAt, endedAt: deps.now(), outcome: 'client_left' }))
        throw error
      }
      course.unsupported ??= error
      return undefined
    }
    const { failure } = error
    if (failure.kind !== 'no_share') log.underway = undefined
    if (failure.begun) {
      deps.router.answered(call, deps.now() - startedAt)
      deps.router.ended(route, course.workspaceId, endedWith(failure, deps.now() - startedAt))
    } else {
      deps.router.failed(call, failure)
    }
    course.failures.push(failure)
    const { kind, status } = failure
    log.attempts.push(
      attemptOf(route, {
        startedAt,
        endedAt: deps.now(),
        outcome: kind,
        ...(status !== undefined && { status }),
      }),
    )
    deps.events.attemptFailed({ id: course.id, route: routeName(route), failure })
    return error
  }
}

/** A target that does not stream is asked for a whole answer, whatever the caller wants. */
function modeOn(route: Route, { mode, plan, workspaceId, deps }: Course): AnswerMode {
  const refused = mode === 'stream' && deps.streamRefusals.refuses(workspaceId, plan.request, route)
  return refused ? 'whole' : mode
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

async function callOnce(
  request: ChatRequest,
  mode: AnswerMode,
  options: CallOptions,
): Promise<Answer['body']> {
  return mode === 'whole'
    ? { kind: 'whole', response: await callWhole(request, options) }
    : { kind: 'stream', stream: await callStream(request, options) }
}

interface ForChoices extends Omit<Together, 'count'> {
  /** Called when one of several calls that was sent has failed: the caller does not pay for its prompt. */
  readonly onRefused: () => void
  /** Called with the choices that are in hand, each time there are more. */
  readonly onPart: (part: WholeAnswer) => void
  /** Whether the caller's money pays for so many more prompts; then they are held. */
  readonly pays: (prompts: number) => Promise<boolean>
}

/** One call for several choices, or several calls for one each. */
async function callForChoices(
  request: ChatRequest,
  mode: AnswerMode,
  options: CallOptions,
  together: ForChoices,
): Promise<Answer['body']> {
  const { onRefused, onPart, pays } = together
  const single = { ...request, n: 1 }
  const manyWhole = (count: number, first?: WholeAnswer): Promise<WholeAnswer> =>
    callAllWhole(
      { ...together, count },
      (signal) => unlessRefused(callWhole, single, { ...options, signal }, onRefused),
      (part) => onPart(first ? appendChoices(first, part) : part),
    )
  const manyStreams = (count: number, patienceMs?: number): Promise<EventStream> =>
    callAllStreams(
      { ...together, count },
      (signal) => unlessRefused(callStream, single, { ...options, signal }, onRefused),
      { onPart, ...(patienceMs !== undefined && { patienceMs }) },
    )
  const count = callsFor(request, options.route)
  if (count > 1) {
    return mode === 'whole'
      ? { kind: 'whole', response: await manyWhole(count) }
      : { kind: 'stream', stream: await manyStreams(count) }
  }
  if (mode === 'whole') {
    const answering = callWhole(request, options)
    const response = await completeWhole(answering, request.n, async (missing, first) => {
      onPart({ ...first, ...(first.usage && { usage: { ...first.usage, lacks: 'calls' } }) })
      return (await pays(missing)) ? manyWhole(missing, first) : undefined
    })
    return { kind: 'whole', response }
  }
  const stream = await callStream(request, options)
  const further = async (missing: number): Promise<EventStream | undefined> =>
    // Their caller has the first choice: no other target could take over.
    (await pays(missing)) ? manyStreams(missing, 0) : undefined
  return { kind: 'stream', stream: completeStream(stream, request.n, further) }
}

/** Makes one of several calls. */
async function unlessRefused<Result>(
  make: (request: ChatRequest, options: CallOptions) => Promise<Result>,
  request: ChatRequest,
  options: CallOptions,
  onRefused: () => void,
): Promise<Result> {
  let wasSent = false
  try {
    return await make(request, {
      ...options,
      onSent(bodyBytes) {
        wasSent = true
        options.onSent(bodyBytes)
      },
    })
  } catch (error) {
    if (wasSent && error instanceof UpstreamError && !(error instanceof CallAborted)) onRefused()
    throw error
  }
}

/** Each further call of a request pays for its prompt; the hold of the first has one. */
async function paysForPrompts(
  { plan, admitted, deps }: HeldCall,
  route: Route,
  prompts: number,
): Promise<boolean> {
  const prompt = promptCostOf({ ...plan.request, n: 1 }, [route], plan.promptSize, admitted.startedAt)
  const amount = nano(prompt * BigInt(prompts))
  const verdict = await admitted.extend(amount, amount, deps.now())
  return verdict.kind === 'extended'
}

/** How many parallel calls a request may make now: those of one key together are bounded by its concurrent requests. */
function roomFor({ caller, countersId, parallel, deps }: HeldCall): number {
  const limit = caller.limits.keyConcurrent
  if (limit === null) return PARALLEL_CALLS_MAX
  return Math.min(PARALLEL_CALLS_MAX, limit - (deps.calls.parallelOf(countersId) - parallel))
}

function attemptOf(route: Route, attempt: Omit<Attempt, 'provider' | 'upstreamModel'>): Attempt {
  return { provider: route.provider.name, upstreamModel: route.target.upstreamModel, ...attempt }
}
