import { LARGE_BODY_BYTES } from '../core/bodyWeight.ts'
import type { Json } from '../core/json.ts'
import type { RequestTraits } from '../core/traits.ts'
import { admitWithoutHold } from './admit/admit.ts'
import type { Incoming } from './authenticate/incoming.ts'
import type { Call } from './call.ts'
import type { PipelineDeps } from './deps.ts'
import type { Plan } from './plan/plan.ts'
import type { PlannedEndpoint } from './plan/planBody.ts'
import { openWithKey, receive } from './receive.ts'
import type { Exchange, Reply } from './reply.ts'

/** An endpoint that takes a body and costs nothing: everything in which such endpoints differ. */
export interface FreeEndpoint<Request extends RequestTraits> extends PlannedEndpoint<Request> {
  /** What the caller gets, as JSON. Throws `GatewayError` where it gets none. */
  answer(plan: Plan<Request>, call: Call): Promise<Json>
}

/**
 * A call that costs nothing: authenticate → plan → count → answer. It has the checks of a call that costs money, in their order,
 * but for those of the balance: it holds nothing, and has neither a charge nor a receipt.
 * Throws `GatewayError` for every refusal.
 */
export async function freeCall<Request extends RequestTraits>(
  endpoint: FreeEndpoint<Request>,
  exchange: Exchange,
  incoming: Incoming,
  deps: PipelineDeps,
): Promise<Reply> {
  const call = await openWithKey(exchange, incoming, deps)
  try {
    const { plan, at } = await receive(endpoint, call)
    await admitWithoutHold(deps, call.caller, exchange, at)
    if (call.share.bytes >= LARGE_BODY_BYTES) await deps.ownTurn()
    const body = JSON.stringify(await endpoint.answer(plan, call))
    return { kind: 'whole', contentType: 'application/json', body }
  } finally {
    await call.release()
  }
}
