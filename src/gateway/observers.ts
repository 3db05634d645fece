import type { Logger } from 'pino'
import { type AuditEvents, createAuditEvents } from '../observe/auditEvents.ts'
import { createErrorLog } from '../observe/errorLog.ts'
import { type Faults, createFaults } from '../observe/faults.ts'
import { type Gauges, type Metrics, createMetrics } from '../observe/metrics.ts'
import { createPipelineEvents } from '../observe/pipelineEvents.ts'
import { createRouterEvents } from '../observe/routerEvents.ts'
import { createUntrustedProxies } from '../observe/untrustedProxies.ts'
import type { PipelineEvents } from '../pipeline/deps.ts'
import type { RouterEvents } from '../upstream/routing/createRouter.ts'
import type { Configuration } from './configuration.ts'

/** Where the other parts report what happens: the log and the metrics. */
export interface Observers {
  readonly faults: Faults
  readonly metrics: Metrics
  readonly audit: AuditEvents
  readonly pipeline: PipelineEvents
  readonly router: RouterEvents
  /** Receives the address of each request that another proxy seems to have forwarded. */
  readonly onUntrustedProxy: (address: string) => void
}

export interface ObserversOptions {
  readonly log: Logger
  readonly configuration: Configuration
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly gauges: Gauges
}

export function createObservers({ log, configuration, now, gauges }: ObserversOptions): Observers {
  const prompts = () => configuration.settings.log.prompts
  const errors = createErrorLog({ log, secrets: () => configuration.secrets, prompts })
  const metrics = createMetrics(gauges)
  return {
    faults: createFaults({ log, errors }),
    metrics,
    audit: createAuditEvents(log, metrics),
    pipeline: createPipelineEvents({ log, errors, metrics, prompts, now }),
    router: createRouterEvents(log, metrics),
    onUntrustedProxy: createUntrustedProxies(log),
  }
}
