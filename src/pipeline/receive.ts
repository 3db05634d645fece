import { LARGE_BODY_BYTES } from '../core/bodyWeight.ts'
import { GatewayError } from '../core/error.ts'
import { isJsonObject } from '../core/json.ts'
import type { RequestTraits } from '../core/traits.ts'
import { admitWithoutHold, refuseUsedUp } from './admit/admit.ts'
import { KEY_CACHE_MS } from './authenticate/authenticate.ts'
import type { Incoming, IncomingBody } from './authenticate/incoming.ts'
import type { Call } from './call.ts'
import type { PipelineDeps } from './deps.ts'
import { openCall } from './openCall.ts'
import { deprecationHeaders } from './plan/models.ts'
import type { Plan } from './plan/plan.ts'
import { type PlannedEndpoint, planBody } from './plan/planBody.ts'
import type { Exchange } from './reply.ts'

/** What a call with a body begins with, whether it costs money or not. */
export interface Received<Request extends RequestTraits> {
  readonly body: IncomingBody
  readonly plan: Plan<Request>
  /** The time of the request, in milliseconds since the epoch. */
  readonly at: number
}

/** Verifies the key before the body is read. Throws 401, or 429 where a window is used up; then there is no call to end. */
export async function openWithKey(exchange: Exchange, incoming: Incoming, deps: PipelineDeps): Promise<Call> {
  const caller = await deps.authenticator.authenticate(incoming.credentials)
  exchange.caller = caller
  const start = { exchange, incoming, caller, deps }
  await refuseUsedUp(start, deps.now())
  return openCall(start)
}

/** Reads the body and plans what it asks for. Throws `GatewayError`; only then the request has been counted. */
export async function receive<Request extends RequestTraits>(
  endpoint: PlannedEndpoint<Request>,
  call: Call,
): Promise<Received<Request>> {
  const { deps, incoming } = call
  const arrivedAt = deps.now()
  const body = await readBody(call)
  // The time of a request is that of its admission: a body takes as long as its caller likes.
  const at = deps.now()
  if (at - arrivedAt >= KEY_CACHE_MS) {
    call.caller = await deps.authenticator.authenticate(incoming.credentials)
  }
  return { body, plan: await planCall(endpoint, call, body, at), at }
}

async function readBody({ deps, exchange, incoming, share }: Call): Promise<IncomingBody> {
  const body = await incoming.body(share)
  // What is refused is gone: others that arrive beside it may need the room.
  if (!body.ok) share.release()
  if (body.ok && isJsonObject(body.json) && typeof body.json.model === 'string')
    exchange.model = body.json.model
  if (share.bytes >= LARGE_BODY_BYTES) await deps.ownTurn()
  return body
}

/** A refusal is thrown only after the windows have been asked: one trip to the store. */
async function planCall<Request extends RequestTraits>(
  endpoint: PlannedEndpoint<Request>,
  call: Call,
  body: IncomingBody,
  at: number,
): Promise<Plan<Request>> {
  const { deps, caller, exchange } = call
  const planned = await planBody(endpoint, call, body, at)
  if (planned.ok) {
    Object.assign(exchange.headers, deprecationHeaders(planned.plan.model))
    return planned.plan
  }
  await admitWithoutHold(deps, caller, exchange, at)
  throw new GatewayError(planned.refusal)
}
