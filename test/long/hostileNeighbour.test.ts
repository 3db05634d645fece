import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { endsWithParent } from '../support/endsWithParent.ts'
import { integer } from '../support/inspector.ts'
import {
  type GatewayProcess,
  type ProcessCustomer,
  type ProcessWorld,
  startProcessWorld,
} from '../support/processWorld.ts'
import { TEST_LIMIT_MS, onlyLong, scaled } from '../support/scale.ts'
import { standardConfig, standardModel } from '../support/world.ts'
import { PROCESS_ENGINES } from './engines.ts'
import { FIRST_EVENT_MS, hostileProvider } from './hostile/provider.ts'
import { PLAYS, type Play, WAYS, modelOf } from './hostile/ways.ts'

const CALLERS = 8
/** Where minutes are counted, other tests run beside it: then times prove nothing. */
const CALLS = scaled({
  short: { alone: 40, beside: 80, timesCount: false },
  long: { alone: 600, beside: 2_000, timesCount: true },
  budgeted: { alone: 120, beside: 400, timesCount: false },
})
/** Between two calls of a caller. */
const PAUSE_MS = 20
/** The hostile workspace may slow the other so much, and no more. */
const SLOWER_FACTOR = 2
const SLOWER_MS = 40
/** What the machine does to one try is not what an attack does: that it does each time. */
const TRIES_MAX = 3
/** Of the workspace alone: on a machine that is busier with other tests, times prove nothing. */
const BUSY_P95_MS = 2 * FIRST_EVENT_MS
const POLL_MS = 20
const SKIPPED = onlyLong()
const HOSTILE_KEYS = 6

describe.each(PROCESS_ENGINES)('beside a workspace that is hostile in every way, on $name', (engine) => {
  test.skipIf(engine.skipped || SKIPPED)(
    'another is answered and charged as if it were alone',
    async () => {
      await using world = await startProcessWorld({
        processes: 1,
        provider: hostileProvider,
        config: (provider) => ({
          ...standardConfig(provider),
          models: [standardModel(), ...PLAYS.map(modelFor)],
        }),
        ...(await engine.database()),
      })
      const quiet = await world.createCustomer()
      await measure(world, quiet, CALLS.alone / 4)
      let calls = CALLS.alone / 4
      for (let tries = 1; ; tries++) {
        const alone = await measure(world, quiet, CALLS.alone)
        const attackers = await startAttackers(world)
        const beside = await measure(world, quiet, CALLS.beside)
        const done = await attackers.stop()
        calls += CALLS.alone + CALLS.beside

        console.log(report(engine.name, alone, beside, done))
        expect(Object.keys(done)).toEqual(WAYS.map(({ name }) => name))
        expect(beside.wrong).toEqual([])
        const bound = Math.max(SLOWER_FACTOR * alone.p95, alone.p95 + SLOWER_MS)
        if (!CALLS.timesCount || alone.p95 > BUSY_P95_MS || beside.p95 <= bound) break
        if (tries === TRIES_MAX) expect(beside.p95).toBeLessThanOrEqual(bound)
      }
      await expectBooksRight(world, quiet, calls)
    },
    TEST_LIMIT_MS,
  )
})

function gatewayOf({ processes: [gateway] }: ProcessWorld): GatewayProcess {
  if (!gateway) throw new Error('expected a process')
  return gateway
}

function modelFor(play: Play): Record<string, unknown> {
  const id = modelOf(play)
  return standardModel({ id, aliases: [], targets: [{ provider: 'acme', model: id.replace('/', '-') }] })
}

interface Measured {
  readonly p50: number
  readonly p95: number
  readonly most: number
  /** Answers that are not whole. */
  readonly wrong: readonly string[]
}

/** Calls of several callers, whole and streamed in turn; in milliseconds from the request to the last byte. */
async function measure(world: ProcessWorld, { secret }: ProcessCustomer, calls: number): Promise<Measured> {
  const gateway = gatewayOf(world)
  const times: number[] = []
  const wrong: string[] = []
  let begun = 0
  async function caller(): Promise<void> {
    while (begun < calls) {
      const streamed = ++begun % 2 === 0
      const startedAt = performance.now()
      const response = await world.chat(gateway, secret, { stream: streamed, max_tokens: 50 })
      const text = await response.text()
      times.push(performance.now() - startedAt)
      const isWhole = streamed ? text.endsWith('data: [DONE]\n\n') : text.includes('"Hello world"')
      if (response.status !== 200 || !isWhole) wrong.push(`${response.status} ${text}`)
      await Bun.sleep(PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  times.sort((a, b) => a - b)
  const quantile = (part: number): number => times[Math.floor(part * (times.length - 1))] ?? NaN
  return { p50: quantile(0.5), p95: quantile(0.95), most: quantile(1), wrong }
}

type Done = Readonly<Record<string, Readonly<Record<string, number>>>>

/** In a process of its own, so that its work is not in what is measured. */
async function startAttackers(world: ProcessWorld): Promise<{ stop(): Promise<Done> }> {
  const gateway = gatewayOf(world)
  const { workspaceId, secret } = await world.createCustomer({ balance: '5' })
  const keys = [secret]
  for (let i = 1; i < HOSTILE_KEYS; i++) {
    const limits =
      i === HOSTILE_KEYS - 1
        ? { requests_per_minute: 1 }
        : i === HOSTILE_KEYS - 2
          ? { concurrent_requests: 1 }
          : {}
    keys.push((await world.operations.createKey(workspaceId, { name: 'hostile', ...limits })).key)
  }
  const target = JSON.stringify({ url: gateway.url, keys, model: standardModel()['id'] })
  const script = join(import.meta.dir, 'hostile/attackers.ts')
  const child = Bun.spawn(endsWithParent(process.execPath, script, target), {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return {
    async stop() {
      await child.stdin.end()
      return (await new Response(child.stdout).json()) as Done
    },
  }
}

function report(engine: string, alone: Measured, beside: Measured, done: Done): string {
  const line = (name: string, { p50, p95, most }: Measured): string =>
    `${engine}, ${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, most ${most.toFixed(1)} ms (the provider takes ${FIRST_EVENT_MS})`
  const ways = Object.entries(done).map(([name, answers]) => `  ${name}: ${JSON.stringify(answers)}`)
  return [line('alone', alone), line('beside', beside), ...ways].join('\n')
}

async function expectBooksRight(world: ProcessWorld, quiet: ProcessCustomer, calls: number): Promise<void> {
  while ((await world.inspector.rows('select id from holds')).length > 0) await Bun.sleep(POLL_MS)
  const [used] = await world.inspector.rows(
    `select count(*) as calls, sum(charge) as charged, min(charge) as least, max(charge) as most
     from usage_records where workspace_id = '${quiet.workspaceId}'`,
  )
  const [count, charged, least, most] = ['calls', 'charged', 'least', 'most'].map((name) =>
    integer(used?.[name]),
  )
  expect(count).toBe(BigInt(calls))
  expect([least, charged]).toEqual([most, BigInt(calls) * (most ?? 0n)])
  const { output } = await world.command('ledger', 'verify', '--json')
  expect(output).toContain('"ok": true')
  const metrics = await (await fetch(`${gatewayOf(world).url}/metrics`)).text()
  expect(metrics).toMatch(/^tollgate_open_calls 0$/m)
  expect(metrics).not.toMatch(/^tollgate_gateway_failures_total\{.*\} [1-9]/m)
}
