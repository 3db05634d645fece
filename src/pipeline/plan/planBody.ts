import { findAccountName } from '../../core/accountNames.ts'
import { type Refusal, refuse } from '../../core/error.ts'
import { promptSizeOf } from '../../core/promptSize.ts'
import { findUnpriced } from '../../core/unpriced.ts'
import { callsFor } from '../../upstream/fanOut.ts'
import { type BodyShare, NO_ROOM_FOR_BODY } from '../authenticate/bodyBudget.ts'
import type { Call } from '../call.ts'
import type { IncomingBody } from '../authenticate/incoming.ts'
import { type Plan, type PlanVerdict, planChat } from './plan.ts'

/** Decodes a body and plans what it asks for. */
export function planBody(
  { callerFormat, caller, share, deps }: Call,
  body: IncomingBody,
  at: number,
): PlanVerdict {
  if (!body.ok) return body
  const decoded = callerFormat.decodeRequest(body.json)
  if (!decoded.ok) return decoded
  const { request } = decoded
  const unpriced = findUnpriced(request)
  if (unpriced) return { ok: false, refusal: unpriced }
  const planned = planChat(request, caller, deps.catalog(), at, promptSizeOf(request))
  if (!planned.ok) return planned
  const isAllowed = planned.plan.routes.every(({ provider }) => provider.allowAccountNames)
  const named = isAllowed ? undefined : findAccountName(request)
  if (named) return { ok: false, refusal: named }
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
