import { Tally, quantile } from '../load/tally.ts'
import { type Used, residentMb, usedBy } from '../process/usage.ts'
import type { Target } from '../targets/target.ts'
import type { Scenario } from './scenario.ts'

/** What a scenario has shown of a target, over all of its rounds. */
export interface Measured {
  readonly calls: number
  readonly failed: number
  readonly events: number
  /** Medians of the rounds. */
  readonly cpuPerCall: number
  readonly cpuPerEvent: number
  /** Of the round that neighbours on the machine disturbed least. */
  readonly leastCpuPerCall: number
  readonly leastCpuPerEvent: number
  /** Of each round, in their order. */
  readonly cpuPerCallOfRounds: readonly number[]
  readonly callsPerSecond: number
  readonly restingMb: number
  readonly peakMb: number
  readonly tally: Tally
}

interface Round extends Used<Tally> {
  readonly seconds: number
  readonly restingMb: number
}

/** Runs a scenario on all targets, interleaved and in alternating order, so that noise meets them alike. */
export async function measure(
  scenario: Scenario,
  targets: readonly Target[],
  progress: (text: string) => void,
): Promise<Map<Target['name'], Measured>> {
  const rounds = new Map<Target['name'], Round[]>(targets.map(({ name }) => [name, []]))
  for (let round = 0; round < scenario.rounds; round++) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      progress(`${scenario.name}, round ${round + 1} of ${scenario.rounds}: ${target.name}`)
      rounds.get(target.name)?.push(await runRound(scenario, target))
    }
  }
  return new Map([...rounds].map(([name, rounds]) => [name, summarise(rounds)]))
}

async function runRound(scenario: Scenario, target: Target): Promise<Round> {
  const { spec, stream, maxTokens, endpoint } = scenario
  const calls = { to: target.to, model: target.modelFor(spec), stream, maxTokens, endpoint }
  const restingMb = residentMb(target.pid)
  const startedAt = performance.now()
  const used = await usedBy(target.pid, () => scenario.run(calls))
  return { ...used, restingMb, seconds: (performance.now() - startedAt) / 1000 }
}

function summarise(rounds: readonly Round[]): Measured {
  const tally = new Tally()
  for (const { result } of rounds) tally.add(result)
  const perCall = rounds.map(({ cpuMicros, result }) => cpuMicros / Math.max(1, result.whole))
  const perEvent = rounds.map(({ cpuMicros, result }) => cpuMicros / Math.max(1, result.events))
  return {
    calls: tally.whole,
    failed: tally.failed,
    events: tally.events,
    cpuPerCall: quantile(perCall, 0.5) ?? 0,
    cpuPerEvent: quantile(perEvent, 0.5) ?? 0,
    leastCpuPerCall: Math.min(...perCall),
    leastCpuPerEvent: Math.min(...perEvent),
    cpuPerCallOfRounds: perCall,
    callsPerSecond:
      quantile(
        rounds.map(({ result, seconds }) => result.whole / seconds),
        0.5,
      ) ?? 0,
    restingMb: rounds[0]?.restingMb ?? 0,
    peakMb: Math.max(...rounds.map(({ peakMb }) => peakMb)),
    tally,
  }
}
