import { expect } from 'bun:test'
import { join } from 'node:path'
import { nano } from '../../src/core/money.ts'
import { contract } from './contract.ts'
import { NOON, createCustomer, moneyOf, openCall, proveLedgers } from './customer.ts'
import type { Job, Report } from './process.ts'

const PROCESSES = 3
/** By then all of them know when to start. */
const START_DELAY_MS = 50
const PROGRAM = join(import.meta.dir, 'process.ts')

contract('three processes on one database', (given, it) => {
  it('with 600 requests at once let exactly 60 through a limit of 60, each with its own remaining', async () => {
    const customer = await createCustomer(given.store())
    const { settings } = given.database()
    const { verdicts, remaining } = await runProcesses({
      settings,
      customer,
      calls: 200,
      workspacePerMinute: 60,
    })
    expect(verdicts).toEqual({ admitted: 60, rate_limited: 540 })
    expect(remaining.sort((a, b) => b - a)).toEqual(Array.from({ length: 60 }, (_, i) => 59 - i))
  })

  it('get exactly as many holds as the balance covers', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 17_500n)
    const { settings } = given.database()
    const { verdicts } = await runProcesses({ settings, customer, calls: 100, hold: '1000' })
    expect(verdicts).toEqual({ admitted: 17, insufficient_balance: 283 })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(17_500n), held: nano(17_000n) })
    expect(await proveLedgers(store)).toBeGreaterThan(0)
  })

  it('get exactly as many holds as the monthly spend of their key covers', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000_000n)
    const { settings } = given.database()
    const job = { settings, customer, calls: 60, hold: '1000', keyMonthlySpend: '25999' }
    const { verdicts } = await runProcesses(job)
    expect(verdicts).toEqual({ admitted: 25, spend_limit_exceeded: 155 })
    expect((await store.books.keyStanding(customer.keyId, NOON)).monthHeld).toBe(nano(25_000n))
  })

  it('that hold and charge at the same time never lose or double a charge', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000_000n)
    const { settings } = given.database()
    const { verdicts } = await runProcesses({ settings, customer, calls: 300, hold: '1000', cost: '7' })
    expect(verdicts).toEqual({ admitted: 900 })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(1_000_000n - 900n * 7n), held: nano(0n) })
    expect((await store.books.keyStanding(customer.keyId, NOON)).monthSpent).toBe(nano(900n * 7n))
    expect(await proveLedgers(store)).toBeGreaterThan(0)
  })

  it('lose nothing that was committed when one is killed, and another sweeps its holds', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000n)
    const { settings } = given.database()
    const process = startProcess({ settings, customer, calls: 5, hold: '100', stays: true })
    await process.ready
    process.go(Date.now())
    expect((await process.report).verdicts).toEqual({ admitted: 5 })
    await process.kill()
    await openCall(store, customer, 100n, { expiresAt: NOON + 90_000 })
    expect((await moneyOf(store, customer)).held).toBe(nano(600n))
    await store.till.sweep(NOON + 30_000)
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(1_000n), held: nano(100n) })
    expect(await proveLedgers(store)).toBeGreaterThan(0)
  })
})

/** Starts the processes, lets them go at the same moment, and adds their reports up. */
async function runProcesses(job: Job): Promise<Report> {
  const processes = Array.from({ length: PROCESSES }, () => startProcess(job))
  await Promise.all(processes.map(({ ready }) => ready))
  const start = Date.now() + START_DELAY_MS
  for (const process of processes) process.go(start)
  const reports = await Promise.all(processes.map(({ report }) => report))
  const verdicts: Record<string, number> = {}
  for (const report of reports) {
    for (const [kind, count] of Object.entries(report.verdicts)) {
      verdicts[kind] = (verdicts[kind] ?? 0) + count
    }
  }
  return { verdicts, remaining: reports.flatMap(({ remaining }) => remaining) }
}

function startProcess(job: Job) {
  const child = Bun.spawn([process.execPath, PROGRAM, JSON.stringify(job)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const ready = Promise.withResolvers<void>()
  const report = Promise.withResolvers<Report>()
  void read()

  async function read(): Promise<void> {
    let text = ''
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const lines = text.split('\n').slice(0, -1)
      if (lines.length > 0) ready.resolve()
      if (lines[1] !== undefined) report.resolve(JSON.parse(lines[1]) as Report)
    }
    const early = new Error(`the process ended early (${await child.exited})`)
    ready.reject(early)
    report.reject(early)
  }

  return {
    ready: ready.promise,
    report: report.promise,
    go(start: number): void {
      void child.stdin.write(`${start}\n`)
      void child.stdin.flush()
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
