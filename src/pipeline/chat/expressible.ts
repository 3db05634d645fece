import type { ChatRequest } from '../../core/chat/request.ts'
import type { Refusal } from '../../core/error.ts'
import { callsFor } from '../../upstream/fanOut.ts'
import { encodeFor } from '../../upstream/encodeFor.ts'
import type { Route } from '../../upstream/route.ts'
import { UnsupportedField } from '../../wire/wire.ts'
import { inexpressible } from '../dispatch/exhausted.ts'

/**
 * Refuses what no target can say, before anything is held: by the field that the first one cannot. Where one can, the
 * others are passed over when their turn comes.
 *
 * @param turn what is awaited before each further target: of a large body each is much work
 */
export async function refuseInexpressible(
  request: ChatRequest,
  routes: readonly Route[],
  turn: () => Promise<void>,
): Promise<Refusal | undefined> {
  let first: UnsupportedField | undefined
  for (const route of routes) {
    if (first) await turn()
    const unsupported = unsupportedBy(route, request)
    if (!unsupported) return undefined
    first ??= unsupported
  }
  return first && inexpressible(first)
}

function unsupportedBy(route: Route, request: ChatRequest): UnsupportedField | undefined {
  // Parallel calls ask for one choice each.
  const sent = callsFor(request, route) > 1 ? { ...request, n: 1 } : request
  try {
    encodeFor(sent, route)
    return undefined
  } catch (error) {
    if (error instanceof UnsupportedField) return error
    throw error
  }
}
