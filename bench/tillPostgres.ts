/**
 * The till on Postgres with one hot workspace: hold, then charge with its usage record, from many callers
 * at the same time; grouped, and with one transaction per request and step (groups of one).
 *
 *     bin/bun run bench/tillPostgres.ts
 *
 * Uses TOLLGATE_TEST_POSTGRES_URL when set, else a private server that syncs every commit to disk.
 */
import { openPostgresStore } from '../src/store/postgres/openPostgresStore.ts'
import {
  admissionOf,
  createCustomer,
  moneyOf,
  proveLedgers,
  settlementOf,
  type Customer,
} from '../test/contract/customer.ts'
import { POSTGRES_URL_VARIABLE, sharedPostgres, startPostgres } from '../test/support/postgres.ts'

interface Load {
  readonly customer: Customer
  readonly callers: number
  readonly groupSizeMax: number
  readonly durationMs: number
}

interface Measured {
  readonly requests: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly latencies: { readonly p50: number; readonly p99: number }
}

const CALLERS = 600
const DURATION_MS = 4_000
const GROUPED = 512
const BALANCE = 1_000_000_000_000n
const HOLD = 1_000n
const COST = 7n

async function main(): Promise<void> {
  const postgres = process.env[POSTGRES_URL_VARIABLE]
    ? await sharedPostgres()
    : await startPostgres({ fsync: true })
  try {
    console.log(`one hot workspace, ${CALLERS} open calls per process, ${DURATION_MS / 1000} s each`)
    for (const processes of [1, 3]) {
      const single = await measure(await postgres.createDatabase(), processes, 1)
      const grouped = await measure(await postgres.createDatabase(), processes, GROUPED)
      print(processes, 'one transaction per request', single)
      print(processes, 'grouped', grouped)
      console.log(`   ratio ${(rate(grouped) / rate(single)).toFixed(1)}x`)
    }
  } finally {
    await postgres.stop()
  }
}

async function measure(url: string, processes: number, groupSizeMax: number): Promise<Measured[]> {
  const store = await openPostgresStore({ url })
  const customer = await createCustomer(store, BALANCE)
  const load: Load = { customer, callers: CALLERS, groupSizeMax, durationMs: DURATION_MS }
  const workers = Array.from({ length: processes }, () =>
    Bun.spawn([process.execPath, import.meta.path, url, JSON.stringify(load)], {
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  )
  const measured = await Promise.all(
    workers.map(async ({ stdout }) => JSON.parse(await new Response(stdout).text()) as Measured),
  )
  await proveLedgers(store)
  const { balance } = await moneyOf(store, customer)
  const requests = measured.reduce((sum, one) => sum + one.requests, 0)
  if (balance !== BALANCE - BigInt(requests) * COST) throw new Error('a charge was lost or doubled')
  await store.close()
  return measured
}

function rate(measured: readonly Measured[]): number {
  return measured.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0)
}

function print(processes: number, what: string, measured: readonly Measured[]): void {
  const requests = measured.reduce((sum, one) => sum + one.requests, 0)
  const cpu = measured.reduce((sum, one) => sum + one.cpuSeconds, 0)
  const p50 = Math.max(...measured.map(({ latencies }) => latencies.p50))
  const p99 = Math.max(...measured.map(({ latencies }) => latencies.p99))
  console.log(
    [
      `${processes} process(es), ${what}:`.padEnd(46),
      `${Math.round(rate(measured))} requests/s`.padStart(18),
      `${((cpu / requests) * 1e6).toFixed(1)} us CPU each (nodes)`.padStart(30),
      `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`.padStart(32),
    ].join(''),
  )
}

async function work(url: string, load: Load): Promise<Measured> {
  const store = await openPostgresStore({ url, groupSizeMax: load.groupSizeMax })
  await store.ping()
  const latencies: number[] = []
  const cpu = process.cpuUsage()
  const start = performance.now()
  await Promise.all(
    Array.from({ length: load.callers }, async () => {
      while (performance.now() - start < load.durationMs) {
        const began = performance.now()
        const admission = admissionOf(load.customer, HOLD, { at: Date.now() })
        await store.till.admit(admission)
        await store.till.settle(settlementOf(load.customer, admission.id, COST))
        latencies.push(performance.now() - began)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  await store.close()
  latencies.sort((a, b) => a - b)
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0
  return {
    requests: latencies.length,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    latencies: { p50: at(0.5), p99: at(0.99) },
  }
}

const [url, load] = process.argv.slice(2)
if (url !== undefined && load !== undefined) {
  console.log(JSON.stringify(await work(url, JSON.parse(load) as Load)))
  process.exit(0)
}
await main()
