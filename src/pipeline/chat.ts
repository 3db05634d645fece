import { LARGE_BODY_BYTES } from '../core/bodyWeight.ts'
import { GatewayError, type Refusal, refuse } from '../core/error.ts'
import { leastOf } from '../core/holdGrant.ts'
import { isJsonObject } from '../core/json.ts'
import type { Nano } from '../core/money.ts'
import { promptSizeOf } from '../core/promptSize.ts'
import { findUnpriced } from '../core/unpriced.ts'
import { callsFor } from '../upstream/fanOut.ts'
import type { WireServer } from '../wire/wire.ts'
import { type Admitted, admitWithHold, admitWithoutHold, refuseUsedUp } from './admit.ts'
import { type BodyShare, NO_ROOM_FOR_BODY } from './bodyBudget.ts'
import { type Answering, openCall } from './callScope.ts'
import { KEY_CACHE_MS } from './authenticate.ts'
import type { Caller } from './caller.ts'
import type { PipelineDeps } from './deps.ts'
import { type Answer, dispatch } from './dispatch.ts'
import { fitContext } from './fitContext.ts'
import { holdTermsOf, limitsOf, modeOf } from './holdTerms.ts'
import { type Claimed, claimAnswer } from './idempotency.ts'
import type { Incoming, IncomingBody } from './incoming.ts'
import { deprecationHeaders } from './models.ts'
import { type Plan, type PlanVerdict, planChat } from './plan.ts'
import type { Exchange, Reply } from './reply.ts'
import { remediesFor } from './remedies.ts'
import { replyStreamed } from './replyStreamed.ts'
import { replyWhole } from './replyWhole.ts'

/**
 * The way of a chat request: authenticate → plan → admit → dispatch → relay → settle (design §2).
 * Throws `GatewayError` for every refusal; by then nothing is held and nothing is charged.
 */
export async function chatCompletion(
  exchange: Exchange,
  incoming: Incoming,
  server: WireServer,
  deps: PipelineDeps,
): Promise<Reply> {
  const caller = await deps.authenticator.authenticate(incoming.authorization)
  exchange.caller = caller
  await refuseUsedUp(deps, caller, exchange, deps.now(), incoming.bodyBytes)
  const share = deps.bodies.open(caller.key.countersId)
  try {
    return await answerBody(exchange, incoming, caller, share, server, deps)
  } catch (error) {
    share.release()
    throw error
  }
}

/** @param share the call's room for its body: given back here unless this throws */
async function answerBody(
  exchange: Exchange,
  incoming: Incoming,
  known: Caller,
  share: BodyShare,
  server: WireServer,
  deps: PipelineDeps,
): Promise<Reply> {
  const arrivedAt = deps.now()
  const body = await incoming.body(share)
  if (body.ok && isJsonObject(body.json) && typeof body.json.model === 'string')
    exchange.model = body.json.model
  if (share.bytes >= LARGE_BODY_BYTES) await deps.ownTurn()
  // The time of a request is that of its admission: a body takes as long as its caller likes.
  const at = deps.now()
  const caller =
    at - arrivedAt < KEY_CACHE_MS ? known : await deps.authenticator.authenticate(incoming.authorization)
  // The refusals of later gates are kept until the windows have been asked: one trip to the store.
  const planned = await fitContext(plan(body, caller, share, server, deps, at), deps.tokens)
  if (!planned.ok) {
    await admitWithoutHold(deps, caller, exchange, at)
    throw new GatewayError(planned.refusal)
  }

  Object.assign(exchange.headers, deprecationHeaders(planned.plan.model))
  const claimed = await claimAnswer(exchange, incoming, body, caller, deps, at)
  if (claimed.kind === 'replay') {
    share.release()
    return claimed.reply
  }
  try {
    const termsOf = (of: Plan) => holdTermsOf(of, caller, deps, at)
    const needOf = (of: Plan): Nano => leastOf({ ...termsOf(of), expiresAt: at })
    const admitted = await admitWithHold(deps, caller, exchange, at, termsOf(planned.plan), (free) =>
      remediesFor(planned.plan, free, at, needOf),
    )
    return await answer(exchange, incoming, planned.plan, admitted, claimed, share, server, deps)
  } catch (error) {
    await claimed.free()
    throw error
  }
}

function plan(
  body: IncomingBody,
  caller: Caller,
  share: BodyShare,
  server: WireServer,
  deps: PipelineDeps,
  at: number,
): PlanVerdict {
  if (!body.ok) return body
  const decoded = server.decodeRequest(body.json)
  if (!decoded.ok) return decoded
  const { request } = decoded
  const unpriced = findUnpriced(request)
  if (unpriced) return { ok: false, refusal: unpriced }
  const planned = planChat(request, caller, deps.catalog(), at, promptSizeOf(request))
  if (!planned.ok) return planned
  const refusal = makeRoomForCopies(planned.plan, body.bytes, share)
  return refusal ? { ok: false, refusal } : planned
}

/** Where choices are made by parallel calls, each of them sends the prompt. */
function makeRoomForCopies({ request, routes }: Plan, bytes: number, share: BodyShare): Refusal | undefined {
  if (request.n === 1) return undefined
  const copies = routes.reduce((most, route) => Math.max(most, callsFor(request, route)), 1)
  const more = bytes * (copies - 1)
  if (more === 0 || share.take(more)) return undefined
  if (share.fits(bytes * copies)) return NO_ROOM_FOR_BODY
  return refuse(
    'request_too_large',
    `The model needs a separate call for each of ${copies} choices. Together they are larger than this server allows. Ask for fewer choices, or send a shorter prompt.`,
    { param: 'n' },
  )
}

async function answer(
  exchange: Exchange,
  incoming: Incoming,
  plan: Plan,
  admitted: Admitted,
  claimed: Claimed,
  share: BodyShare,
  server: WireServer,
  deps: PipelineDeps,
): Promise<Reply> {
  const call = openCall(plan, admitted, incoming.signal, share.release, deps)
  exchange.holds = true
  let found: Answer | undefined
  try {
    if (share.bytes >= LARGE_BODY_BYTES) await deps.ownTurn()
    const mode = modeOf(plan, admitted)
    const limitOf = limitsOf(plan, admitted, deps)
    found = await dispatch(plan, mode, limitOf, call.log, admitted.id, incoming.signal, deps)
    const dropped = [...(plan.request.unknownFields ?? []), ...call.log.dropped]
    if (dropped.length > 0) exchange.headers['x-tollgate-dropped-fields'] = dropped.join(', ')
    const answering: Answering = { incoming, plan, claimed, server, deps, call, answer: found }
    return plan.request.stream ? replyStreamed(answering) : await replyWhole(answering)
  } catch (error) {
    // Whatever threw before the reply took the call over, the hold goes back before the caller is told.
    if (found?.body.kind === 'stream') found.body.stream.abort()
    await call.fail(error)
    throw error
  }
}
