import { GatewayError } from '../core/error.ts'
import type { AnswerMode } from '../upstream/router.ts'
import type { WireServer } from '../wire/wire.ts'
import { type Admitted, admitWithHold, admitWithoutHold } from './admit.ts'
import { type Answering, openCall } from './callScope.ts'
import type { Caller } from './caller.ts'
import type { PipelineDeps } from './deps.ts'
import { dispatch } from './dispatch.ts'
import { holdAmount } from './holdSize.ts'
import { type Claimed, claimAnswer } from './idempotency.ts'
import type { Incoming, IncomingBody } from './incoming.ts'
import { deprecationHeaders } from './models.ts'
import { type Plan, type PlanVerdict, planChat } from './plan.ts'
import type { Exchange, Reply } from './reply.ts'
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
  const at = deps.now()

  // The refusals of later gates are kept until the windows have been asked: one trip to the store.
  const body = await incoming.body()
  const planned = plan(body, caller, server, deps, at)
  if (!planned.ok) {
    await admitWithoutHold(deps.store.till, caller, exchange, at)
    throw new GatewayError(planned.refusal)
  }

  Object.assign(exchange.headers, deprecationHeaders(planned.plan.model))
  const claimed = await claimAnswer(exchange, incoming, body, caller, deps, at)
  if (claimed.kind === 'replay') return claimed.reply
  try {
    const admitted = await admit(exchange, caller, planned.plan, deps, at)
    return await answer(exchange, incoming, planned.plan, admitted, claimed, server, deps)
  } catch (error) {
    await claimed.free()
    throw error
  }
}

function plan(
  body: IncomingBody,
  caller: Caller,
  server: WireServer,
  deps: PipelineDeps,
  at: number,
): PlanVerdict {
  if (!body.ok) return body
  const decoded = server.decodeRequest(body.json)
  if (!decoded.ok) return decoded
  return planChat(decoded.request, caller, deps.catalog(), at, deps.tokens.estimatePrompt)
}

function admit(
  exchange: Exchange,
  caller: Caller,
  { request, routes }: Plan,
  deps: PipelineDeps,
  at: number,
): Promise<Admitted> {
  const amount = holdAmount(request, routes, deps.tokens.estimatePrompt(request), at)
  return admitWithHold(deps.store.till, caller, exchange, at, amount)
}

async function answer(
  exchange: Exchange,
  incoming: Incoming,
  plan: Plan,
  admitted: Admitted,
  claimed: Claimed,
  server: WireServer,
  deps: PipelineDeps,
): Promise<Reply> {
  const call = openCall(plan, admitted, incoming.signal, deps)
  try {
    const found = await dispatch(plan, modeOf(plan), call.log, admitted.id, incoming.signal, deps)
    if (call.log.dropped.length > 0) {
      exchange.headers['x-tollgate-dropped-fields'] = call.log.dropped.join(', ')
    }
    const answering: Answering = { incoming, plan, claimed, server, deps, call, answer: found }
    return plan.request.stream ? replyStreamed(answering) : await replyWhole(answering)
  } catch (error) {
    // Whatever threw before the reply took the call over, the hold goes back before the caller is told.
    await call.fail(error)
    throw error
  }
}

/** A whole answer whose length nobody limited is streamed from the provider, so that its hold can grow. */
function modeOf({ request, routes }: Plan): AnswerMode {
  if (request.stream) return 'stream'
  const limited =
    request.maxTokens !== undefined ||
    routes.every(({ model }) => model.assumedOutputTokens >= model.maxOutputTokens)
  return limited ? 'whole' : 'stream'
}
