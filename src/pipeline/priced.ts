import type { Refusal } from '../core/error.ts'
import type { Json } from '../core/json.ts'
import type { RequestTraits } from '../core/traits.ts'
import type { CallersNames } from '../wire/wire.ts'
import type { HeadersSent } from './authenticate/incoming.ts'
import type { Call, HeldCall } from './call.ts'
import type { NextAnswer, Produced } from './dispatch/answer.ts'
import type { AttemptTerms } from './dispatch/attemptTerms.ts'
import type { Recalled } from './memory.ts'
import type { Plan, Prompt } from './plan/plan.ts'
import type { RoutesVerdict } from './plan/preferences.ts'
import type { Reply } from './reply.ts'

/**
 * An endpoint whose calls cost money: everything in which such endpoints differ. The rest is the same for all of them
 * (`pricedCall.ts`): key, rate limits, hold, routing, retries, charge, receipt and Idempotency-Key.
 */
export interface PricedEndpoint<Request extends RequestTraits, Whole> {
  /**
   * Reads a body, and refuses what is not sold. A refusal names the first field at fault. Never throws.
   * @param headers of the request
   */
  decode(body: Json, headers: HeadersSent): Decoded<Request>
  /**
   * Puts what earlier calls of its workspace have left in the places where a body refers to it, before it is decoded. Default: a
   * body refers to nothing.
   */
  recall?(body: Json, call: Call, at: number): Promise<Recalled>
  /** As of a `CallerCodec`: the names that `attempt` and `reply` use are canonical. Default: so are the caller's. */
  callersNames?(body: Json): CallersNames
  /** What the request costs beside its answer: what is held for it, and how it is counted. */
  prompt(request: Request): Prompt
  /** Gives the routes of a plan that can take its request, or refuses it, before anything is held. */
  fit(plan: Plan<Request>, call: Call): Promise<RoutesVerdict>
  /** Asks one target. Throws `UpstreamError`, or `UnsupportedField` before anything is sent. */
  attempt(request: Request, terms: AttemptTerms): Promise<Produced<Whole>>
  /**
   * Answers the caller, and settles the call before the last byte. Throws `GatewayError` where there is no answer:
   * `pricedCall` then ends the call.
   */
  reply(call: HeldCall, next: NextAnswer<Whole>): Promise<Reply>
}

export type Decoded<Request> =
  | { readonly ok: true; readonly request: Request }
  | { readonly ok: false; readonly refusal: Refusal }
