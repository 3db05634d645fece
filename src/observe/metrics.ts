import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client'

/** What Prometheus can ask of this process. Names follow its conventions; money is in nano-dollars. */
export interface Metrics {
  answered(path: string, status: number): void
  attemptFailed(kind: string): void
  settled(ending: string, charge: bigint, writeoff: bigint, estimated: boolean): void
  settlementDelayed(lost: boolean): void
  usageRejected(): void
  render(): Promise<{ contentType: string; body: string }>
}

/** @param openCalls how many calls own a hold in this process, asked at each scrape */
export function createMetrics(openCalls: () => number): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'tollgate_' })
  const registers = [registry]
  const requests = new Counter({
    name: 'tollgate_requests_total',
    help: 'Answers under /v1, by endpoint and HTTP status',
    labelNames: ['path', 'status'] as const,
    registers,
  })
  const failures = new Counter({
    name: 'tollgate_upstream_failures_total',
    help: 'Failed calls to providers, by kind of failure',
    labelNames: ['kind'] as const,
    registers,
  })
  const settlements = new Counter({
    name: 'tollgate_settlements_total',
    help: 'Settled calls, by ending and by whether usage was reported or estimated',
    labelNames: ['ending', 'usage'] as const,
    registers,
  })
  const charges = new Counter({
    name: 'tollgate_charges_nano_usd_total',
    help: 'Charged to workspaces, in nano-dollars',
    registers,
  })
  const writeoffs = new Counter({
    name: 'tollgate_writeoffs_nano_usd_total',
    help: 'Written off because a balance could not bear it, in nano-dollars',
    registers,
  })
  const delays = new Counter({
    name: 'tollgate_settlement_retries_total',
    help: 'Settlements that could not be committed at once; lost="true" when they were given up',
    labelNames: ['lost'] as const,
    registers,
  })
  const rejected = new Counter({
    name: 'tollgate_usage_rejected_total',
    help: 'Usage reports that cannot be true, replaced by our own count',
    registers,
  })
  const open = new Gauge({
    name: 'tollgate_open_calls',
    help: 'Calls that own a hold now',
    registers,
  })
  return {
    answered: (path, status) => requests.inc({ path, status: String(status) }),
    attemptFailed: (kind) => failures.inc({ kind }),
    settled(ending, charge, writeoff, estimated) {
      settlements.inc({ ending, usage: estimated ? 'estimated' : 'reported' })
      charges.inc(Number(charge))
      if (writeoff > 0n) writeoffs.inc(Number(writeoff))
    },
    settlementDelayed: (lost) => delays.inc({ lost: String(lost) }),
    usageRejected: () => rejected.inc(),
    async render() {
      open.set(openCalls())
      return { contentType: registry.contentType, body: await registry.metrics() }
    },
  }
}
