import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { nano } from '../../src/core/money.ts'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import { createCustomer, proveLedgers } from '../support/postgres-calls.ts'
import type { Job, Report } from '../support/postgres-process.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'

const PROCESSES = 3
const TIMEOUT_MS = 60_000
const onPostgres = test.skipIf(mustSkip('three processes on one Postgres'))

onPostgres(
  'three processes with 600 requests at once let exactly 60 through a limit of 60',
  async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const store = await openPostgresStore({ url })
    const customer = await createCustomer(store, nano(0n))
    const report = await runProcesses(url, { customer, calls: 200, workspacePerMinute: 60 })
    await store.close()
    expect(report).toEqual({ admitted: 60, rate_limited: 540 })
  },
  TIMEOUT_MS,
)

onPostgres(
  'three processes get exactly as many holds as the balance covers, and charge each call once',
  async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const store = await openPostgresStore({ url })
    const customer = await createCustomer(store, nano(17_500n))
    const report = await runProcesses(url, { customer, calls: 100, hold: '1000' })
    expect(report).toEqual({ admitted: 17, insufficient_balance: 283 })
    const sums = await proveLedgers(store)
    expect(sums.get(customer.workspaceId)).toEqual({
      balance: nano(17_500n),
      held: nano(17_000n),
      openHolds: nano(17_000n),
    })
    await store.close()
  },
  TIMEOUT_MS,
)

onPostgres(
  'three processes that hold and charge at the same time never lose or double a charge',
  async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const store = await openPostgresStore({ url })
    const customer = await createCustomer(store, nano(1_000_000n))
    const report = await runProcesses(url, { customer, calls: 200, hold: '1000', cost: '7' })
    expect(report).toEqual({ admitted: 600 })
    const sums = await proveLedgers(store)
    expect(sums.get(customer.workspaceId)).toEqual({
      balance: nano(1_000_000n - 600n * 7n),
      held: nano(0n),
      openHolds: nano(0n),
    })
    await store.close()
  },
  TIMEOUT_MS,
)

/** All processes start their calls together; returns the sum of their reports. */
async function runProcesses(url: string, job: Job): Promise<Report> {
  const script = join(import.meta.dir, '../support/postgres-process.ts')
  const processes = Array.from({ length: PROCESSES }, () =>
    Bun.spawn([process.execPath, script, url, JSON.stringify(job)], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  )
  const readers = processes.map(({ stdout }) => stdout.pipeThrough(new TextDecoderStream()).getReader())
  for (const reader of readers) expect((await reader.read()).value).toBe('ready\n')
  for (const { stdin } of processes) {
    await stdin.write('go\n')
    await stdin.end()
  }
  const total: Record<string, number> = {}
  for (const reader of readers) {
    const report = JSON.parse((await reader.read()).value ?? '{}') as Report
    for (const [kind, count] of Object.entries(report)) total[kind] = (total[kind] ?? 0) + count
  }
  for (const { exited } of processes) expect(await exited).toBe(0)
  return total
}
