import { expect } from 'bun:test'
import { LEASE_MS } from '../../../src/pipeline/admit/admit.ts'
import {
  type GatewayProcess,
  type ProcessCustomer,
  type ProcessWorld,
  startProcessWorld,
} from '../../support/processWorld.ts'
import { isLong } from '../../support/scale.ts'
import { slownessOfMachine } from '../../support/slowness.ts'
import { CHARGE_NANO, LOAD_BALANCE_USD, LOAD_SCRIPT } from '../load.ts'
import { auditAt, type Outcomes } from './auditor.ts'
import { type Crowd, startCrowd } from './crowd.ts'

/** Before the disturbance, and after it. */
const CALLS = 24
/** How long after the last call nothing is open any more: the promise of the manual. */
const AT_REST_MS = 45_000
/** What can be settled is settled by then, as a rule. */
const SETTLED_MS = 5_000
/** Beyond the promise, for an audit that takes a while itself. */
const AT_REST_SLACK_MS = 5_000
/** When every process must have answered a new call after the disturbance has ended. */
const SERVED_AGAIN_MS = 15_000
/**
 * How long callers may wait for whom a disturbance spares: for the locks of a process that stands still or is gone, and
 * for what waits behind them.
 */
const GAP_MS_MAX = 8_000
const POLL_MS = 200

/** Processes on one Postgres, with customers whose books are audited. */
export interface Stage extends AsyncDisposable {
  readonly world: ProcessWorld
  /** The server itself, past all that stands before it. */
  serverUrl: string
  readonly customers: readonly ProcessCustomer[]
  /** All that ever called here: the books are audited against what all of them remember. */
  readonly crowds: Crowd[]
}

export interface StageOptions {
  readonly serverUrl: string
  /** By way of what the processes reach it. Default: directly. */
  readonly url?: string
  /** Which way the connections of the test itself go, but those of the audit. Default: directly. */
  readonly own?: 'directly' | 'by the url'
  readonly processes?: number
}

export async function openStage({ serverUrl, url, own, processes = 2 }: StageOptions): Promise<Stage> {
  const world = await startProcessWorld({
    processes,
    postgresUrl: url ?? serverUrl,
    ...(own !== 'by the url' && { ownUrl: serverUrl }),
    provider: LOAD_SCRIPT,
  })
  return {
    world,
    serverUrl,
    crowds: [],
    customers: [
      await world.createCustomer({ balance: LOAD_BALANCE_USD }),
      await world.createCustomer({ balance: LOAD_BALANCE_USD, key: { monthly_spend_usd: '500' } }),
    ],
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** What callers saw of a disturbance. */
export interface Run {
  readonly crowd: Crowd
  /** When the disturbance began and ended (`performance.now`). */
  readonly from: number
  readonly to: number
}

/**
 * A crowd calls before, under and after a disturbance; then the books are audited. Expects what holds under all of them:
 * whatever is refused is refused with 503, every process serves again soon, and the books are sound.
 */
export async function auditedRun(
  name: string,
  stage: Stage,
  disturb: (crowd: Crowd) => Promise<unknown>,
): Promise<Run> {
  const { world, customers } = stage
  const slowness = slownessOfMachine()
  const crowd = startCrowd(world, customers)
  stage.crowds.push(crowd)
  let seen: Seen
  try {
    seen = await watch(crowd, disturb)
  } finally {
    await crowd.stop()
  }
  const restMs = await auditAtRest(stage)

  const { answered, refused, cut } = crowd.outcomes()
  const figures = {
    answered: answered.length,
    refused: refused.length,
    'cut off': cut,
    'ms without an answer': Math.round(seen.longestGapMs),
    'ms until all serve again': Math.round(seen.servedAgainMs),
    'ms until the books rest': Math.round(restMs),
  }
  console.log(
    `${name}: ${Object.entries(figures)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')}`,
  )
  expect(Object.keys(crowd.refusals()).filter((how) => how !== '503' && how !== 'event')).toEqual([])
  expect(seen.servedAgainMs).toBeLessThan(SERVED_AGAIN_MS * slowness)
  const { code, output } = await world.command('ledger', 'verify', '--json')
  expect(output).toContain('"ok": true')
  expect(code).toBe(0)
  return seen
}

interface Seen extends Run {
  readonly longestGapMs: number
  readonly servedAgainMs: number
}

async function watch(crowd: Crowd, disturb: (crowd: Crowd) => Promise<unknown>): Promise<Seen> {
  const begunAt = performance.now()
  await crowd.servedBy()
  await crowd.reach(CALLS)
  const from = performance.now()
  await disturb(crowd)
  const to = performance.now()
  await crowd.servedBy()
  const servedAgainMs = performance.now() - to
  await crowd.reach(crowd.outcomes().answered.length + CALLS)
  return { crowd, from, to, servedAgainMs, longestGapMs: crowd.longestGapMs(begunAt, performance.now()) }
}

/**
 * For a disturbance that spares processes: resolves after so many milliseconds, and not before each of them has answered,
 * be the machine slow; unless it takes longer than it may.
 */
export async function whileServing(
  crowd: Crowd,
  ms: number,
  processes?: readonly GatewayProcess[],
): Promise<void> {
  const served = crowd.servedBy(processes)
  await Bun.sleep(ms)
  await Promise.race([served, Bun.sleep(GAP_MS_MAX * slownessOfMachine())])
}

/** Calls were answered under the disturbance, by each of these, and without a long gap. Default: by any. */
export function expectAnswers(
  { crowd, from, to }: Run,
  processes: readonly (GatewayProcess | undefined)[] = [undefined],
): void {
  for (const process of processes) {
    expect(crowd.answersBetween(from, to, process)).toBeGreaterThan(0)
    expect(crowd.longestGapMs(from, to, process)).toBeLessThan(GAP_MS_MAX * slownessOfMachine())
  }
}

/** Audits until nothing is under way any more: what must hold at any time holds each time. Gives how long that took. */
async function auditAtRest({ serverUrl, world, crowds }: Stage): Promise<number> {
  const stoppedAt = performance.now()
  let swept = isLong
  const outcomes = everyOutcome(crowds)
  for (;;) {
    const { faults, unfinished } = await auditAt(serverUrl, outcomes)
    expect(faults).toEqual([])
    const restMs = performance.now() - stoppedAt
    if (unfinished.length === 0) return restMs
    // The short form does not wait until leases have ended: it sweeps as at that moment.
    if (!swept && restMs > SETTLED_MS) {
      swept = true
      await world.store.till.sweep(Date.now() + LEASE_MS)
    }
    // The log of the processes says why.
    if (restMs > AT_REST_MS + AT_REST_SLACK_MS)
      console.log(world.processes.map((one) => one.log()).join('\n'))
    expect(restMs > AT_REST_MS + AT_REST_SLACK_MS ? unfinished : []).toEqual([])
    await Bun.sleep(POLL_MS)
  }
}

function everyOutcome(crowds: readonly Crowd[]): Outcomes {
  const outcomes = crowds.map((crowd) => crowd.outcomes())
  return {
    answered: outcomes.flatMap(({ answered }) => answered),
    refused: outcomes.flatMap(({ refused }) => refused),
    cut: outcomes.reduce((sum, { cut }) => sum + cut, 0),
    cost: CHARGE_NANO,
  }
}
