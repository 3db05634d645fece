import type { Logger } from 'pino'
import { routeName } from '../upstream/route.ts'
import type { CircuitOpened } from '../upstream/routing/circuitChange.ts'
import type { RouterEvents } from '../upstream/routing/createRouter.ts'
import { EVERYONE } from '../upstream/routing/scope.ts'
import type { Metrics } from './metrics.ts'

/** Reports what the router found out about targets and credentials: for whom, why, until when. */
export function createRouterEvents(log: Logger, metrics: Pick<Metrics, 'blocked'>): RouterEvents {
  return {
    circuitChanged(route, change) {
      const name = routeName(route)
      if (change.state !== 'open') {
        log.info({ route: name, circuit: change.state, for: change.scope }, 'a circuit has changed')
        return
      }
      metrics.blocked({ provider: route.provider.name, what: 'circuit', scope: change.scope })
      log.warn(openedLine(name, change), 'a circuit opened: the target keeps failing')
    },
    parked(route, block) {
      metrics.blocked(block)
      const { what, credential, reason, scope, until } = block
      const line = { credential, route: routeName(route), reason, for: scope, until: timeOf(until) }
      if (what === 'target') log.warn(line, 'a target asks for a pause')
      else if (reason === 'rate_limited') log.warn(line, 'a credential is rate-limited')
      else if (scope === EVERYONE)
        log.error(line, 'a provider rejects a credential or its account is unpaid: action needed')
      else log.warn(line, 'a provider rejects a credential or wants to be paid, in answers to one workspace')
    },
  }
}

function openedLine(
  route: string,
  { state, scope, reason, until, struck, struckMore }: CircuitOpened,
): object {
  const line = { route, circuit: state, for: scope, reason, until: timeOf(until) }
  if (scope !== EVERYONE || struck.length === 0) return line
  return { ...line, workspaces: struck, ...(struckMore > 0 && { more_workspaces: struckMore }) }
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
