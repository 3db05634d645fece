import { GatewayError } from '../../core/error.ts'
import { UpstreamError, type UpstreamFailure } from '../../core/failure.ts'
import { refusalOf } from '../../core/refusalOf.ts'
import { afterFailure, backoffMs } from '../../upstream/afterFailure.ts'
import { type Route, routeName } from '../../upstream/route.ts'
import type { AnswerMode, RoutedCall } from '../../upstream/router.ts'
import { saysItDoesNotStream } from '../../upstream/streamRefusals.ts'
import type { HeldCall } from '../call.ts'
import type { Answer, BrokenAnswer } from './answer.ts'
import { attempt, endedWith, failedAttemptOf } from './attempt.ts'
import type { Asking, Course } from './course.ts'
import { exhausted, inexpressible } from './exhausted.ts'

/**
 * Calls to providers for one request: retries, rotated credentials and fallbacks together. At worst each of
 * them lasts as long as its provider's connect and first-event timeouts, with `RETRY_AFTER_MS_MAX` between.
 */
export const ATTEMPTS_MAX = 6

/** The answers of a request, each resumed with the failure of the one before. */
export type Answers<Whole> = AsyncGenerator<Answer<Whole>, never, BrokenAnswer>

/**
 * Tries the routes in order until one answers, and goes on where that answer fails before its caller has seen anything of
 * it. Throws `GatewayError`: 400, 502 or 503.
 */
export async function* dispatch<Whole>(call: HeldCall, asking: Asking<Whole>): Answers<Whole> {
  const { plan, log } = call
  const { router } = call.deps
  const workspaceId = call.caller.workspace.id
  const course: Course<Whole> = {
    call,
    asking,
    failures: [],
    tooSmall: [],
    unsupported: undefined,
    like: undefined,
    refusal: undefined,
  }
  const routes = router.order(plan.routes, plan.request, asking.mode, workspaceId)
  for (let i = 0; i < routes.length && log.attempts.length < ATTEMPTS_MAX; i++) {
    const route = routes[i]
    if (!route || course.tooSmall.some((smaller) => !mayBeLarger(route, smaller))) continue
    if (course.like && course.like.model !== route.model) continue
    const first = router.begin(route, workspaceId, modeOn(route, course))
    if (first) yield* tryRoute(first, routes, i, course)
  }
  const { failures, unsupported } = course
  if (failures.length === 0 && unsupported)
    throw new GatewayError(inexpressible(unsupported), { cause: unsupported })
  throw exhausted(failures, router.availability(plan.routes, workspaceId))
}

/** Calls one target until it has had its tries. Throws when no other may be tried either. */
async function* tryRoute<Whole>(
  first: RoutedCall,
  routes: readonly Route[],
  position: number,
  course: Course<Whole>,
): AsyncGenerator<Answer<Whole>, void, BrokenAnswer> {
  const { deps, log, plan, caller, incoming } = course.call
  const { router } = deps
  const { signal } = incoming
  const workspaceId = caller.workspace.id
  let routed: RoutedCall | undefined = first
  let tries = 1
  /** With these it has failed here. */
  let tried: Set<RoutedCall['credential']> | undefined
  while (routed) {
    const outcome = await attempt(routed, course)
    if (!outcome) return
    const error = outcome instanceof UpstreamError ? outcome : brokenOff(outcome, yield outcome, course)
    const { failure } = error
    if (routed.mode === 'stream' && saysItDoesNotStream(failure, plan.request)) {
      course.refusal = { route: routed.route, failure }
      routed = router.begin(routed.route, workspaceId, 'whole')
      continue
    }
    tried ??= new Set()
    tried.add(routed.credential)
    const rest = routes.slice(position + 1)
    const move = afterFailure(failure, tries, {
      credential: router.hasOtherCredential(routed.route, workspaceId, tried),
      target: rest.length > 0 && router.availability(rest, workspaceId).waitMs === 0,
    })
    if (move === 'stop') throw new GatewayError(refusalOf(failure), { cause: error })
    if (move === 'next_larger') course.tooSmall.push(routed.route)
    // What has not been tried at all comes before another try here.
    if (log.attempts.length + rest.length >= ATTEMPTS_MAX) return
    if (move === 'rotate') {
      routed = router.begin(routed.route, workspaceId, routed.mode, tried)
    } else if (move === 'retry') {
      await deps.sleep(backoffMs(failure, tries, deps.random()), signal)
      if (signal.aborted) throw error
      tries += 1
      routed = router.again(routed)
    } else {
      return
    }
  }
}

/** An answer has failed before its caller has seen anything of it: it counts as an attempt that failed. */
function brokenOff<Whole>(answer: Answer<Whole>, how: BrokenAnswer, course: Course<Whole>): UpstreamError {
  const { id, deps, log, caller } = course.call
  const failure: UpstreamFailure = { ...how.failure, begun: true }
  const { route } = answer
  if (how.headersLeft) course.like = { model: route.model, dropped: log.dropped.join() }
  const endedAt = deps.now()
  const startedAt = log.attempts.pop()?.startedAt ?? answer.sentAt
  log.attempts.push(failedAttemptOf(route, { startedAt, endedAt, failure }))
  course.failures.push(failure)
  deps.events.answerFailed({ id, route: routeName(route), failure })
  deps.router.ended(route, caller.workspace.id, endedWith(failure, endedAt - startedAt))
  return new UpstreamError(failure)
}

/** A target that does not stream is asked for a whole answer, whatever the caller wants. */
function modeOn<Whole>(route: Route, { asking, call }: Course<Whole>): AnswerMode {
  const { deps, caller, plan } = call
  const refused =
    asking.mode === 'stream' && deps.streamRefusals.refuses(caller.workspace.id, plan.request, route)
  return refused ? 'whole' : asking.mode
}

/** Whether a route may take a prompt that was too long for another: a longer context, or another provider's limits. */
function mayBeLarger(route: Route, smaller: Route): boolean {
  if (route.model !== smaller.model) return route.model.contextLength > smaller.model.contextLength
  return route.provider.name !== smaller.provider.name
}
