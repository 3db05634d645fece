import type { Logger } from 'pino'
import type { PipelineEvents } from '../pipeline/deps.ts'
import type { Metrics } from './metrics.ts'
import { redact } from './redact.ts'

/** Tells log and metrics what happens to requests. */
export function createPipelineEvents(
  log: Logger,
  metrics: Metrics,
  secrets: () => readonly string[],
): PipelineEvents {
  return {
    attemptFailed({ id, route, kind, status, detail }) {
      metrics.attemptFailed(kind)
      log.warn({ id, route, kind, status, detail: redact(detail, secrets()) }, 'call to provider failed')
    },
    settled({ id, ending, charge, writeoff, estimated }) {
      metrics.settled(ending, charge, writeoff, estimated)
      if (writeoff > 0n)
        log.warn({ id, writeoff_nano_usd: String(writeoff) }, 'part of a charge was written off')
    },
    settlementDelayed({ id, lost, cause }) {
      metrics.settlementDelayed(lost)
      if (lost) log.error({ id, err: cause }, 'a settlement was given up')
      else log.warn({ id }, 'a settlement waits for the store')
    },
    gatewayFailed({ id, cause }) {
      log.error({ id, err: cause }, 'the gateway failed')
    },
    usageRejected({ id, route, reported }) {
      metrics.usageRejected()
      log.warn({ id, route, reported }, 'usage that cannot be true was replaced by our own count')
    },
  }
}
