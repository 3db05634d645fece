import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchOptions } from './options.ts'
import { describeProfile } from './process/profile.ts'
import { residentMb } from './process/usage.ts'
import { type Measured, measure } from './scenarios/measure.ts'
import { type Scenario, scenarios } from './scenarios/scenario.ts'
import { closedLoop } from './load/drive.ts'
import { type GatewayTarget, startGateway } from './targets/gateway.ts'
import { type Mock, startMock } from './targets/mock.ts'
import { startNginx } from './targets/nginx.ts'
import type { Target } from './targets/target.ts'

export interface BenchResult {
  readonly scenarios: ReadonlyMap<string, ReadonlyMap<Target['name'], Measured>>
  /** Of the gateway: started, and after everything. */
  readonly idleMb: number
  readonly afterMb: number
  /** What does not add up, in words; empty when every call was answered, forwarded and booked once. */
  readonly discrepancies: readonly string[]
  /** Where its time went, for people; empty without the profiler. */
  readonly profile: readonly string[]
}

const WARM_UP_MS = { full: 3_000, quick: 500 }
const WARM_UP_CALLERS = 16
const SETTLED_MS = 500

/** Starts everything, puts every load on every target, checks the books and ends what it started. */
export async function runBench(
  options: BenchOptions,
  progress: (text: string) => void,
): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  const started: Target[] = []
  function keep<Started extends Target>(target: Started): Started {
    started.push(target)
    return target
  }
  try {
    const mock = keep(await startMock())
    const nginx = options.alone ? undefined : await startNginx(mock.to.port, folder)
    if (nginx) keep(nginx)
    const wanted = scenarios(options.quick)
      .filter(({ name }) => options.only?.includes(name) ?? true)
      .map((scenario) => ({ ...scenario, rounds: options.rounds ?? scenario.rounds }))
    const specs = [...new Set(wanted.map(({ spec }) => spec))]
    const { profile } = options
    const begin = (name: GatewayTarget['name'], program: string): Promise<GatewayTarget> => {
      const own = join(folder, name)
      mkdirSync(own)
      return startGateway({ name, program, mockPort: mock.to.port, folder: own, specs, profile })
    }
    const gateway = keep(await begin('tollgate', options.program))
    const before = options.before === undefined ? undefined : keep(await begin('before', options.before))
    const gateways = before ? [before, gateway] : [gateway]
    await Bun.sleep(SETTLED_MS)
    const idleMb = residentMb(gateway.pid)

    const others = options.alone ? [] : nginx ? [mock, nginx] : [mock]
    const targets = [...others, ...gateways]
    progress('warming up')
    const warmed = new Map<Target['name'], number>()
    for (const one of gateways) warmed.set(one.name, await warmUp(one, wanted, options.quick))
    const results = new Map<string, Map<Target['name'], Measured>>()
    for (const scenario of wanted) results.set(scenario.name, await measure(scenario, targets, progress))

    await Bun.sleep(SETTLED_MS)
    const discrepancies = await audit(results, warmed, mock, gateways)
    const afterMb = residentMb(gateway.pid)
    await gateway.stop()
    return {
      scenarios: results,
      idleMb,
      afterMb,
      discrepancies,
      profile: profile ? describeProfile(join(folder, gateway.name)) : [],
    }
  } finally {
    for (const target of started) await target.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Runs whole answers and streams until the compiler has done its work; gives the number of calls. */
async function warmUp(gateway: Target, all: readonly Scenario[], quick: boolean): Promise<number> {
  let calls = 0
  for (const { spec, stream, maxTokens, endpoint } of all.filter(({ warmsUp }) => warmsUp)) {
    const load = { to: gateway.to, model: gateway.modelFor(spec), stream, maxTokens, endpoint }
    calls += (await closedLoop(load, WARM_UP_CALLERS, WARM_UP_MS[quick ? 'quick' : 'full'])).whole
  }
  return calls
}

/** Every call was answered whole, reached the provider once and is in the books of its gateway once; nothing is still held. */
async function audit(
  results: BenchResult['scenarios'],
  warmed: ReadonlyMap<Target['name'], number>,
  mock: Mock,
  gateways: readonly GatewayTarget[],
): Promise<string[]> {
  const found: string[] = []
  const through = new Map(warmed)
  for (const [scenario, targets] of results) {
    for (const [name, { calls, failed }] of targets) {
      through.set(name, (through.get(name) ?? 0) + calls)
      if (failed > 0) found.push(`${scenario}: ${failed} calls through ${name} failed`)
    }
  }
  const all = [...through.values()].reduce((sum, calls) => sum + calls, 0)
  const { whole, ended, aborted } = await mock.stats()
  if (whole + ended !== all) found.push(`${all} calls were answered, the provider answered ${whole + ended}`)
  if (aborted > 0) found.push(`${aborted} streams were aborted`)
  for (const { name, books } of gateways) {
    const { requests, heldUsd } = await books()
    const calls = through.get(name) ?? 0
    if (requests !== calls) found.push(`${calls} calls went through ${name}, its books know ${requests}`)
    if (Number(heldUsd) !== 0) found.push(`$${heldUsd} are still held by ${name}`)
  }
  return found
}
