import { LARGE_BODY_BYTES } from '../core/bodyWeight.ts'
import { GatewayError, refuse } from '../core/error.ts'
import type { RequestTraits } from '../core/traits.ts'
import type { Availability } from '../upstream/router.ts'
import { droppedNames, inCallersNames } from '../wire/callersNames.ts'
import type { CallersNames } from '../wire/wire.ts'
import { admitHoldingNothing, admitWithHold, admitWithoutHold } from './admit/admit.ts'
import { claimAnswer } from './admit/claim.ts'
import { modeOf, outputLimitsOf } from './admit/holdTerms.ts'
import type { Incoming } from './authenticate/incoming.ts'
import type { Call, HeldCall } from './call.ts'
import type { PipelineDeps } from './deps.ts'
import type { BrokenAnswer, NextAnswer } from './dispatch/answer.ts'
import type { Asking } from './dispatch/course.ts'
import { dispatch } from './dispatch/dispatch.ts'
import { exhausted } from './dispatch/exhausted.ts'
import type { Plan } from './plan/plan.ts'
import type { PricedEndpoint } from './priced.ts'
import { openWithKey, receive } from './receive.ts'
import type { Exchange, Reply } from './reply.ts'

/**
 * The way of a call that costs money, at whichever endpoint: authenticate → plan → admit → dispatch → relay → settle
 * (ARCHITECTURE.md#the-way-of-a-request).
 * Throws `GatewayError` for every refusal; by then nothing is held, and only what the one billing policy says is charged.
 */
export async function pricedCall<Request extends RequestTraits, Whole>(
  endpoint: PricedEndpoint<Request, Whole>,
  exchange: Exchange,
  incoming: Incoming,
  deps: PipelineDeps,
): Promise<Reply> {
  const call = await openWithKey(exchange, incoming, deps)
  let names: CallersNames | undefined
  try {
    const { body, plan, at } = await receive(endpoint, call)
    ;({ names } = plan)
    const replay = await claimAnswer(call, body, at)
    if (replay) {
      await call.release()
      return replay
    }
    if (deps.outstanding.refusals.stuck(at)) await refuseUnbooked(call, at)
    const availability = deps.router.availability(plan.routes, call.caller.workspace.id)
    if (availability.waitMs > 0) await refuseDown(call, plan, at, availability)
    const held = call.hold(plan, await admitWithHold(call, plan, at))
    const next = startDispatch(held, (terms) => endpoint.attempt(plan.request, terms))
    return await endpoint.reply(held, next)
  } catch (error) {
    await call.fail(error)
    throw inNames(error, names)
  }
}

/** What was thrown after the request was planned speaks of it by its canonical names. */
function inNames(error: unknown, names: CallersNames | undefined): unknown {
  if (names === undefined || !(error instanceof GatewayError)) return error
  return new GatewayError(inCallersNames(error.refusal, names), { cause: error.cause })
}

const UNBOOKED = refuse(
  'service_unavailable',
  'The gateway cannot record charges at the moment, so it makes no calls. Try again soon.',
  { retryAfterSeconds: 10 },
)

/** Nothing is sold that cannot be charged. */
async function refuseUnbooked({ deps, caller, exchange }: Call, at: number): Promise<never> {
  await admitWithoutHold(deps, caller, exchange, at)
  throw new GatewayError(UNBOOKED)
}

/** Where no target can be called now, the call holds nothing that would only be given back, and leaves no record. */
async function refuseDown(call: Call, plan: Plan, at: number, availability: Availability): Promise<never> {
  await admitHoldingNothing(call, plan, at)
  throw exhausted([], availability)
}

function startDispatch<Whole>(call: HeldCall, attempt: Asking<Whole>['attempt']): NextAnswer<Whole> {
  const { plan, admitted, exchange, share, log, deps } = call
  const mode = modeOf(plan, admitted)
  const answers = dispatch(call, { mode, limitOf: outputLimitsOf(plan, admitted), attempt })
  return async (broken) => {
    if (!broken && share.bytes >= LARGE_BODY_BYTES) await deps.ownTurn()
    const { value: answer } = await answers.next(broken ?? NOT_BROKEN)
    if (broken?.headersLeft) return answer
    call.answer = answer
    const dropped = droppedNames(log.dropped, plan.names, plan.request.unknownFields)
    if (dropped.length > 0) exchange.headers['x-tollgate-dropped-fields'] = dropped.join(', ')
    else delete exchange.headers['x-tollgate-dropped-fields']
    return answer
  }
}

/** What a generator starts with is not read. */
const NOT_BROKEN: BrokenAnswer = { failure: { kind: 'server', detail: '' }, headersLeft: false }
