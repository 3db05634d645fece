import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { FAILURE_REASONS } from '../core/failure.ts'
import { ENDINGS } from '../core/ports/books.ts'
import type { StoreMeter } from '../core/ports/store.ts'
import { USAGE_SOURCES } from '../core/usage.ts'
import { WRITEOFF_CAUSES, type WriteoffCause } from '../core/writeoff.ts'
import type { GatewayStep } from '../pipeline/deps.ts'
import { createTally } from './tally.ts'

/** What Prometheus can ask of this process. Names follow its conventions; money is in nano-dollars. */
export interface Metrics {
  answered(path: string, status: number): void
  /** A call to a provider failed, before or after its answer began. */
  upstreamFailed(kind: string): void
  settled(ending: string, charge: bigint, estimated: boolean): void
  /** Once per settled call and cause that has part in its write-off. */
  writtenOff(cause: WriteoffCause, amount: bigint): void
  settlementDelayed(lost: boolean): void
  settlementSetAside(): void
  usageRejected(): void
  outputExceeded(provider: string, tokens: number): void
  unknownFinish(provider: string, word: string): void
  gatewayFailed(at: GatewayStep): void
  /** A circuit opened, or a target or a credential is not used any more. */
  blocked(block: BlockLabels): void
  adminTokenRefused(): void
  /** Refused calls of which the store knows nothing. */
  refusalsLost(count: number): void
  /** What the work of a database server costs. */
  readonly store: StoreMeter
  render(): Promise<{ contentType: string; body: string }>
}

/** What is asked at each scrape. */
export interface Gauges {
  /** Calls that own a hold in this process. */
  readonly openCalls: () => number
  /** Bytes of request bodies in memory. */
  readonly bodyBytes: () => number
  /** What is blocked now, of all providers. */
  readonly blocks: () => readonly BlockLabels[]
  /** What `/readyz` says. */
  readonly ready: () => Promise<boolean>
  /** The process ends. */
  readonly draining: () => boolean
}

/** What the metrics say of something that is not used; which workspaces, the admin API names. */
export interface BlockLabels {
  /** Name of the provider in the configuration. */
  readonly provider: string
  readonly what: 'circuit' | 'target' | 'credential'
  /** Id of a workspace, or `everyone`. */
  readonly scope: string
}

const GROUP_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500]
const ROUND_TRIP_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const STEPS: Readonly<Record<GatewayStep, true>> = {
  memory: true,
  answer: true,
  pricing: true,
  settlement: true,
  report: true,
  idempotency: true,
}

export function createMetrics({ openCalls, bodyBytes, blocks, ready, draining }: Gauges): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'tollgate_requests_total',
    help: 'Responses under /v1, by endpoint and HTTP status; 499: the client left before it got one',
    labelNames: ['path', 'status'] as const,
    registers,
  })
  const failures = new Counter({
    name: 'tollgate_upstream_failures_total',
    help: 'Calls to providers that failed, before or after their answer began, by kind of failure',
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
  const writeoffAmounts = new Counter({
    name: 'tollgate_writeoffs_nano_usd_total',
    help: 'Written off because a balance could not pay it, in nano-dollars, by cause',
    labelNames: ['cause'] as const,
    registers,
  })
  const writeoffs = new Counter({
    name: 'tollgate_writeoffs_total',
    help: 'Settled calls of which a part was written off, by cause',
    labelNames: ['cause'] as const,
    registers,
  })
  const delays = new Counter({
    name: 'tollgate_settlement_retries_total',
    help: 'Attempts to settle a call that the database did not commit; lost="true": the settlement was given up',
    labelNames: ['lost'] as const,
    registers,
  })
  const setAside = new Counter({
    name: 'tollgate_settlements_set_aside_total',
    help: 'Settlements that the database refuses, while it takes those of other calls',
    registers,
  })
  const rejected = new Counter({
    name: 'tollgate_usage_rejected_total',
    help: 'Usage reports of providers that cannot be true, in whole or in part; the gateway replaced the wrong figures with its own count',
    registers,
  })
  const excess = new Counter({
    name: 'tollgate_excess_output_tokens_total',
    help: 'Output tokens that providers report beyond the limit that they were sent, by provider',
    labelNames: ['provider'] as const,
    registers,
  })
  const unknownFinishes = new Counter({
    name: 'tollgate_unknown_finish_words_total',
    help: 'Choices that ended with a word that no list has, by provider and word',
    labelNames: ['provider', 'word'] as const,
    registers,
  })
  const faults = new Counter({
    name: 'tollgate_gateway_failures_total',
    help: 'Faults of the gateway itself during calls, by step of the call',
    labelNames: ['at'] as const,
    registers,
  })
  const wrongTokens = new Counter({
    name: 'tollgate_admin_tokens_refused_total',
    help: 'Requests with a wrong admin token, including those that were rejected before the token was checked',
    registers,
  })
  const lostRefusals = new Counter({
    name: 'tollgate_refusals_lost_total',
    help: 'Rejected calls that are neither kept nor counted, because the database was unreachable or too many keys were rejected at the same time',
    registers,
  })
  const readiness = new Gauge({
    name: 'tollgate_ready',
    help: 'What /readyz says: 1 while the process can serve, else 0',
    registers,
  })
  const drain = new Gauge({
    name: 'tollgate_draining',
    help: '1 while the process ends: it is not ready, and its calls go on',
    registers,
  })
  const open = new Gauge({
    name: 'tollgate_open_calls',
    help: 'Calls that have a hold now',
    registers,
  })
  const bodies = new Gauge({
    name: 'tollgate_request_body_bytes',
    help: 'Bytes of request bodies in memory now, of calls that have not ended',
    registers,
  })
  const blocked = new Gauge({
    name: 'tollgate_blocks',
    help: 'Circuits that are open, and targets and credentials that are not used or only as the last choice, by provider and for whom: for="workspace" counts each workspace',
    labelNames: ['provider', 'what', 'for'] as const,
    registers,
  })
  const blockings = new Counter({
    name: 'tollgate_blocks_total',
    help: 'Circuits that opened, and targets and credentials that were not used any more, by provider and for whom',
    labelNames: ['provider', 'what', 'for'] as const,
    registers,
  })
  const groups = new Histogram({
    name: 'tollgate_store_group_calls',
    help: 'Calls that share a transaction, by step (Postgres)',
    labelNames: ['step'] as const,
    buckets: GROUP_BUCKETS,
    registers,
  })
  const roundTrips = new Histogram({
    name: 'tollgate_store_round_trip_seconds',
    help: 'How long the database takes for a round trip (Postgres)',
    buckets: ROUND_TRIP_BUCKETS_S,
    registers,
  })
  const refusals = new Counter({
    name: 'tollgate_store_refusals_total',
    help: 'Calls and queries that the database refused or did not answer (Postgres)',
    registers,
  })
  const settledAgain = new Counter({
    name: 'tollgate_store_settled_again_total',
    help: 'Settlements that were repeated because another database server did not have them (Postgres)',
    registers,
  })
  // An alert on growth does not see the first event of a series that begins with it.
  for (const cause of WRITEOFF_CAUSES)
    for (const counter of [writeoffAmounts, writeoffs]) counter.inc({ cause }, 0)
  for (const ending of ENDINGS) for (const usage of USAGE_SOURCES) settlements.inc({ ending, usage }, 0)
  for (const kind of Object.keys(FAILURE_REASONS)) failures.inc({ kind }, 0)
  for (const lost of ['true', 'false']) delays.inc({ lost }, 0)
  for (const at of Object.keys(STEPS)) faults.inc({ at }, 0)
  const connections = new Gauge({
    name: 'tollgate_store_connections',
    help: 'Connections to the database that are in use now, except the one that listens (Postgres)',
    registers,
  })
  let connectionsInUse: (() => number) | undefined
  // prom-client's own process metrics keep a timer that costs more than all else of an idle gateway.
  const memory = new Gauge({
    name: 'tollgate_resident_memory_bytes',
    help: 'Resident memory of the process',
    registers,
  })
  const processor = new Gauge({
    name: 'tollgate_cpu_seconds',
    help: 'CPU time of the process since its start, user and system',
    registers,
  })
  // Counting labelled requests costs microseconds: they are tallied here and counted when they are asked for.
  const answers = createTally<'path' | 'status'>()
  const endings = createTally<'ending' | 'usage'>()
  let charged = 0

  return {
    answered: (path, status) => answers.add(`${path} ${status}`, () => ({ path, status: String(status) })),
    upstreamFailed: (kind) => failures.inc({ kind }),
    settled(ending, charge, estimated) {
      const usage = estimated ? 'estimated' : 'reported'
      endings.add(`${ending} ${usage}`, () => ({ ending, usage }))
      charged += Number(charge)
    },
    writtenOff(cause, amount) {
      writeoffAmounts.inc({ cause }, Number(amount))
      writeoffs.inc({ cause })
    },
    settlementDelayed: (lost) => delays.inc({ lost: String(lost) }),
    settlementSetAside: () => setAside.inc(),
    usageRejected: () => rejected.inc(),
    outputExceeded: (provider, tokens) => excess.inc({ provider }, tokens),
    unknownFinish: (provider, word) => unknownFinishes.inc({ provider, word }),
    gatewayFailed: (at) => faults.inc({ at }),
    blocked: (block) => blockings.inc(labelsOf(block)),
    refusalsLost: (count) => lostRefusals.inc(count),
    adminTokenRefused: () => wrongTokens.inc(),
    store: {
      group: (step, calls) => groups.observe({ step }, calls),
      roundTrip: (ms) => roundTrips.observe(ms / 1_000),
      refused: (count) => refusals.inc(count),
      settledAgain(count, writtenOff) {
        settledAgain.inc(count)
        if (writtenOff === 0n) return
        writeoffAmounts.inc({ cause: 'hold_gone' }, Number(writtenOff))
        writeoffs.inc({ cause: 'hold_gone' })
      },
      connections: (inUse) => (connectionsInUse = inUse),
    },
    async render() {
      const { user, system } = process.cpuUsage()
      processor.set((user + system) / 1e6)
      memory.set(process.memoryUsage.rss())
      readiness.set((await ready()) ? 1 : 0)
      drain.set(draining() ? 1 : 0)
      open.set(openCalls())
      bodies.set(bodyBytes())
      // What has ended, and whose provider is gone, has no series.
      blocked.reset()
      for (const block of blocks()) blocked.inc(labelsOf(block))
      connections.set(connectionsInUse?.() ?? 0)
      answers.countInto(requests)
      endings.countInto(settlements)
      charges.inc(charged)
      charged = 0
      return { contentType: registry.contentType, body: await registry.metrics() }
    },
  }
}

/** The ids of workspaces would make a series for each. */
function labelsOf({ provider, what, scope }: BlockLabels): Record<'provider' | 'what' | 'for', string> {
  return { provider, what, for: scope === 'everyone' ? 'everyone' : 'workspace' }
}
