import { type Refusal, refuse } from '../../core/error.ts'
import type { RequestTraits } from '../../core/traits.ts'
import { callsFor } from '../../upstream/fanOut.ts'
import { type BodyShare, NO_ROOM_FOR_BODY } from '../authenticate/bodyBudget.ts'
import type { Call } from '../call.ts'
import type { IncomingBody } from '../authenticate/incoming.ts'
import type { Memory } from '../memory.ts'
import type { PricedEndpoint } from '../priced.ts'
import { type Plan, type PlanVerdict, planRoutes } from './plan.ts'

/** What of an endpoint decides where a request may be answered. */
export type PlannedEndpoint<Request extends RequestTraits> = Pick<
  PricedEndpoint<Request, unknown>,
  'recall' | 'decode' | 'callersNames' | 'prompt' | 'fit'
>

/** Decodes a body and plans what it asks for. */
export async function planBody<Request extends RequestTraits>(
  endpoint: PlannedEndpoint<Request>,
  call: Call,
  body: IncomingBody,
  at: number,
): Promise<PlanVerdict<Request>> {
  if (!body.ok) return body
  const recalled = endpoint.recall
    ? await endpoint.recall(body.json, call, at)
    : ({ ok: true, body: body.json } as const)
  if (!recalled.ok) return recalled
  const { memory } = recalled
  const decoded = endpoint.decode(recalled.body, call.incoming.headers)
  if (!decoded.ok) return decoded
  const request = withKept(decoded.request, memory)
  const planned = planRoutes(request, endpoint.prompt(request), {
    caller: call.caller,
    catalog: call.deps.catalog(),
    at,
  })
  if (!planned.ok) return planned
  const names = endpoint.callersNames?.(recalled.body)
  const fitting = await endpoint.fit(planned.plan, call)
  if (!fitting.ok) return fitting
  const plan = { ...planned.plan, memory, names, routes: fitting.routes }
  const refusal = makeRoomForCopies(plan, body.bytes, call.share)
  return refusal ? { ok: false, refusal } : { ok: true, plan }
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

/** The request with what is known of the kept answers that it goes on from. */
function withKept<Request extends RequestTraits>(request: Request, memory: Memory | undefined): Request {
  if (memory === undefined) return request
  const { makers, leftOut } = memory
  const ofMakers = makers !== undefined && makers.size > 0 ? { makers } : {}
  const ofLeftOut = leftOut !== undefined && leftOut.length > 0 ? { leftOut } : {}
  return { ...request, ...ofMakers, ...ofLeftOut }
}
