import type { Logger } from 'pino'
import type { PipelineEvents } from '../pipeline/deps.ts'
import type { Metrics } from './metrics.ts'
import { redact } from './redact.ts'

export interface PipelineEventsOptions {
  readonly log: Logger
  readonly metrics: Metrics
  /** What must not stand in a log line. */
  readonly secrets: () => readonly string[]
  /** Whether prompts and answers are logged: `log.prompts` of the configuration. */
  readonly prompts: () => boolean
}

/** Tells log and metrics what happens to requests. */
export function createPipelineEvents(options: PipelineEventsOptions): PipelineEvents {
  const { log, metrics, secrets, prompts } = options
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
    conversation(id, read) {
      if (prompts()) log.info({ id, ...read() }, 'conversation')
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
