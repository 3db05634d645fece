import type { WorkspaceId } from '../../core/id.ts'
import type { Availability } from '../router.ts'
import { type Standing, worse } from './cooldown.ts'
import { standingOf } from './credentialState.ts'
import type { RouteState } from './routeStates.ts'

/** How a target stands for a workspace as a whole: circuit, the target itself, the best of its credentials. */
export function standingOfRoute(
  { target, credentials }: RouteState,
  workspaceId: WorkspaceId,
  at: number,
): Standing {
  if (target.breaker.retryAt(workspaceId, at) !== undefined) return 'parked'
  let best: Standing = 'parked'
  for (const credential of credentials) {
    const standing = standingOf(credential, workspaceId, at)
    if (standing === 'ready') {
      best = 'ready'
      break
    }
    if (standing === 'last_choice') best = standing
  }
  return worse(target.cooldown.standing(workspaceId, at), best)
}

const OPEN: Availability = { waitMs: 0, refused: false }

/** Whether and when a workspace may call some of these. */
export function availabilityOf(
  states: readonly RouteState[],
  workspaceId: WorkspaceId,
  at: number,
): Availability {
  // Nearly every call finds a target that is ready, and asks for nothing else.
  if (states.length === 0 || states.some((state) => standingOfRoute(state, workspaceId, at) === 'ready')) {
    return OPEN
  }
  return {
    waitMs: Math.min(...states.map((state) => waitOf(state, workspaceId, at))),
    refused: states.every((state) => isRefused(state, workspaceId, at)),
  }
}

function waitOf({ target, credentials }: RouteState, workspaceId: WorkspaceId, at: number): number {
  const circuit = (target.breaker.retryAt(workspaceId, at) ?? at) - at
  const ofTarget = target.cooldown.firmWaitMs(workspaceId, at)
  const ofCredentials = credentials.map(({ everywhere, here }) =>
    Math.max(everywhere.firmWaitMs(workspaceId, at), here.firmWaitMs(workspaceId, at)),
  )
  return Math.max(circuit, ofTarget, Math.min(...ofCredentials))
}

/** Whether a target cannot be called because none of its credentials is accepted or paid for. */
function isRefused({ credentials }: RouteState, workspaceId: WorkspaceId, at: number): boolean {
  return credentials.every(({ everywhere }) => everywhere.standing(workspaceId, at) === 'parked')
}
