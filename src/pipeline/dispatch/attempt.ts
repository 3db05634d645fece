import { UpstreamError, type UpstreamFailure } from '../../core/failure.ts'
import { nano } from '../../core/money.ts'
import type { Attempt } from '../../core/ports/books.ts'
import { CallAborted } from '../../upstream/http.ts'
import { PARALLEL_CALLS_MAX } from '../../upstream/parallelCalls.ts'
import { type Route, routeName } from '../../upstream/route.ts'
import type { AnswerEnd, RoutedCall } from '../../upstream/router.ts'
import type { CallOptions } from '../../upstream/send.ts'
import { UnsupportedField } from '../../wire/wire.ts'
import { promptCostOf } from '../admit/holdSize.ts'
import type { HeldCall } from '../call.ts'
import type { Answer, Produced } from './answer.ts'
import type { ForChoices } from './attemptTerms.ts'
import type { Course } from './course.ts'

/** What has been sent of an attempt by now. */
interface Sent {
  calls: number
  /** When the first was; milliseconds since the epoch. */
  at: number | undefined
  /** As of an `Answer`. */
  isLimited: boolean
}

/** Asks one target once: its answer, its failure, or undefined when it cannot take the request. */
export async function attempt<Whole>(
  routed: RoutedCall,
  course: Course<Whole>,
): Promise<Answer<Whole> | UpstreamError | undefined> {
  const { asking, call } = course
  const { route, mode } = routed
  const limit = takesLimit(route) ? asking.limitOf(route, mode) : undefined
  const sent: Sent = { calls: 0, at: undefined, isLimited: limit !== undefined }
  const startedAt = call.deps.now()
  call.log.dropped = []
  call.log.underway = undefined
  let body: Produced<Whole> | undefined
  try {
    const options = optionsOf(routed, course, limit, sent)
    body = await asking.attempt({ mode, limit, options, forChoices: () => forChoicesOf(call, route, sent) })
    return answered(routed, course, { body, limit, sent, startedAt })
  } catch (error) {
    if (body?.kind === 'stream') body.stream.abort()
    return failed(error, routed, course, startedAt)
  }
}

interface Begun<Whole> {
  readonly body: Produced<Whole>
  readonly limit: number | undefined
  readonly sent: Sent
  readonly startedAt: number
}

function answered<Whole>(
  routed: RoutedCall,
  { call: { log, deps, plan, caller }, refusal }: Course<Whole>,
  { body, limit, sent, startedAt }: Begun<Whole>,
): Answer<Whole> {
  const { route, credential } = routed
  const firstEventAt = deps.now()
  log.underway = undefined
  deps.router.answered(routed, firstEventAt - startedAt)
  if (refusal?.route === route)
    deps.streamRefusals.learn(caller.workspace.id, plan.request, route, refusal.failure)
  log.attempts.push(attemptOf(route, { startedAt, endedAt: firstEventAt, outcome: 'answered' }))
  return {
    route,
    credential: credential?.name,
    body,
    sentAt: sent.at ?? startedAt,
    firstEventAt,
    // Parallel calls that wait for room may begin later.
    get calls() {
      return Math.max(1, sent.calls)
    },
    limit,
    get isLimited() {
      return sent.isLimited
    },
  }
}

/** Throws where no other target may be tried. */
function failed<Whole>(
  error: unknown,
  routed: RoutedCall,
  course: Course<Whole>,
  startedAt: number,
): UpstreamError | undefined {
  const { id, log, deps, caller, incoming } = course.call
  const { route } = routed
  const { signal } = incoming
  const endedAt = deps.now()
  // A caller that leaves is no failure of the target.
  if (!(error instanceof UpstreamError) || error instanceof CallAborted || signal.aborted) {
    deps.router.abandoned(routed)
    if (error instanceof UnsupportedField) {
      course.unsupported ??= error
      return undefined
    }
    if (signal.aborted) log.attempts.push(attemptOf(route, { startedAt, endedAt, outcome: 'client_left' }))
    throw error
  }
  const { failure } = error
  if (failure.kind !== 'no_share') log.underway = undefined
  if (failure.begun) {
    deps.router.answered(routed, endedAt - startedAt)
    deps.router.ended(route, caller.workspace.id, endedWith(failure, endedAt - startedAt))
  } else {
    deps.router.failed(routed, failure)
  }
  course.failures.push(failure)
  log.attempts.push(failedAttemptOf(route, { startedAt, endedAt, failure }))
  deps.events.attemptFailed({ id, route: routeName(route), failure })
  return error
}

/** The headers that have left name other fields as left out. */
class OtherFields extends UnsupportedField {
  constructor() {
    super('', 'Other fields are left out here.')
  }
}

function optionsOf<Whole>(
  { route, credential, mode }: RoutedCall,
  { call, like }: Course<Whole>,
  limit: number | undefined,
  sent: Sent,
): CallOptions {
  const { id, plan, log, deps, caller, incoming } = call
  return {
    route,
    credential,
    authorize: deps.authorize,
    answers: deps.answers,
    completionId: id,
    workspaceId: caller.workspace.id,
    signal: incoming.signal,
    onSent(bodyBytes) {
      sent.calls += 1
      log.sent = Math.max(log.sent, sent.calls)
      sent.at ??= deps.now()
      log.underway ??= { route, mode, sentAt: sent.at, limit, part: undefined }
      log.sentTo = route
      log.sentBytes = bodyBytes
    },
    onReportBefore(usage) {
      // Of several calls one report says nothing of the others.
      if (log.underway && plan.request.n === 1) log.underway.part = { choices: [], usage }
    },
    onDropped(fields) {
      if (like && like.dropped !== fields.join()) throw new OtherFields()
      log.dropped = fields
    },
    onUnknownFinish: (word) =>
      deps.events.unknownFinish({ id, route: routeName(route), provider: route.provider.name, word }),
  }
}

function forChoicesOf(call: HeldCall, route: Route, sent: Sent): ForChoices {
  const { id, log, deps, incoming } = call
  return {
    signal: incoming.signal,
    roomFor: () => roomFor(call),
    sleep: deps.sleep,
    onLimited: (failure) => deps.events.attemptFailed({ id, route: routeName(route), failure }),
    onRunning: (running) => void (call.parallel = running),
    onRefused: () => void (sent.calls -= 1),
    onPart(part) {
      if (log.underway) log.underway.part = part
    },
    async pays(prompts) {
      const paid = await paysForPrompts(call, route, prompts)
      sent.isLimited ||= !paid
      return paid
    },
  }
}

/** A limit that the caller did not ask for is not a reason to refuse the request. */
function takesLimit({ model, quirks }: Route): boolean {
  const { dropFields = [] } = quirks
  return !model.unsupportedFields.includes('max_tokens') && !dropFields.includes('max_tokens')
}

/** Each further call of a request pays for its prompt; the hold of the first has one. */
async function paysForPrompts(
  { plan, admitted, deps }: HeldCall,
  route: Route,
  prompts: number,
): Promise<boolean> {
  const prompt = promptCostOf({ ...plan.request, n: 1 }, [route], plan.prompt.size, admitted.startedAt)
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

/** The end of an answer of which the caller has nothing. */
export function endedWith(failure: UpstreamFailure, durationMs: number): AnswerEnd {
  return { failure, delivered: false, whole: false, outputTokens: 0, durationMs }
}

/** An attempt that failed, for the receipt. */
export function failedAttemptOf(
  route: Route,
  { startedAt, endedAt, failure }: { startedAt: number; endedAt: number; failure: UpstreamFailure },
): Attempt {
  const status = failure.status === undefined ? {} : { status: failure.status }
  return attemptOf(route, { startedAt, endedAt, outcome: failure.kind, ...status })
}

function attemptOf(route: Route, attempt: Omit<Attempt, 'provider' | 'upstreamModel'>): Attempt {
  return { provider: route.provider.name, upstreamModel: route.target.upstreamModel, ...attempt }
}
