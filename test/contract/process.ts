/**
 * One of several processes on one database: opens the store, says `ready`, reads the moment to start
 * from a line, makes its calls, many at once, and prints what became of them as JSON. Argument: a `Job` as JSON.
 */
import type { RequestId } from '../../src/core/id.ts'
import { nano } from '../../src/core/money.ts'
import { openStore, type StoreSettings } from '../../src/store/open.ts'
import { admissionOf, settlementOf, type Customer } from './customer.ts'

/** Not all of them: then the processes would take turns with one group each. */
const CALLS_AT_ONCE = 16

export interface Job {
  readonly settings: StoreSettings
  readonly customer: Customer
  readonly calls: number
  readonly workspacePerMinute?: number
  /** A decimal string of nano-dollars; absent: no limit. */
  readonly keyMonthlySpend?: string
  /** A decimal string of nano-dollars; absent: the calls are only counted. */
  readonly hold?: string
  /** What every admitted call costs; absent: they stay open. */
  readonly cost?: string
  /** Reports and then lives on, with the store open, until it is killed. */
  readonly stays?: boolean
}

/** How many calls came to which verdict, and what was left of the limit after each that passed. */
export interface Report {
  readonly verdicts: Record<string, number>
  readonly remaining: number[]
}

async function work(job: Job): Promise<Report> {
  const store = await openStore(job.settings, { now: Date.now })
  console.log('ready')
  const start = await new Promise<number>((go) => {
    process.stdin.once('data', (line: Buffer) => go(Number(line.toString())))
  })
  await Bun.sleep(start - Date.now())

  const limits = {
    ...(job.workspacePerMinute !== undefined && { workspacePerMinute: job.workspacePerMinute }),
    ...(job.keyMonthlySpend !== undefined && { keyMonthlySpend: nano(BigInt(job.keyMonthlySpend)) }),
  }
  const hold = job.hold === undefined ? undefined : BigInt(job.hold)
  const report: Report = { verdicts: {}, remaining: [] }
  const call = async (): Promise<RequestId | undefined> => {
    const admission = admissionOf(job.customer, hold, { limits })
    const { kind, rate } = await store.till.admit(admission)
    report.verdicts[kind] = (report.verdicts[kind] ?? 0) + 1
    if (kind !== 'admitted') return undefined
    report.remaining.push(rate.remaining)
    return admission.id
  }
  let left = job.calls
  await Promise.all(
    Array.from({ length: CALLS_AT_ONCE }, async () => {
      while (left-- > 0) {
        const id = await call()
        if (id === undefined || job.cost === undefined) continue
        await store.till.settle(settlementOf(job.customer, id, BigInt(job.cost)))
      }
    }),
  )
  if (!job.stays) await store.close()
  return report
}

if (import.meta.main) {
  const [job = '{}'] = process.argv.slice(2)
  const parsed = JSON.parse(job) as Job
  console.log(JSON.stringify(await work(parsed)))
  if (!parsed.stays) process.exit(0)
}
