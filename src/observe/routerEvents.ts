import type { Logger } from 'pino'
import type { RouterEvents } from '../upstream/routing/createRouter.ts'

/** Tells the log what the router found out about targets and credentials. */
export function createRouterEvents(log: Logger): RouterEvents {
  return {
    circuitChanged(target, circuit) {
      if (circuit === 'open')
        log.warn({ route: target, circuit }, 'a circuit opened: the target keeps failing')
      else log.info({ route: target, circuit }, 'a circuit has changed')
    },
    credentialParked(credential, target, reason, until) {
      const line = { credential, route: target, reason, until: new Date(until).toISOString() }
      if (reason === 'rate_limited') log.warn(line, 'a credential is rate-limited')
      else log.error(line, 'a provider rejects a credential or its account is unpaid: action needed')
    },
  }
}
