/**
 * One of several processes on one Postgres: opens the store, says `ready`, waits for a line, makes all of
 * its calls at once and prints what became of them as JSON. Arguments: the database's URL and a `Job`.
 */
import type { RequestId } from '../../src/core/id.ts'
import { nano } from '../../src/core/money.ts'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import { admissionOf, NO_LIMITS, settlementOf, type Customer } from './postgres-calls.ts'

export interface Job {
  readonly customer: Customer
  readonly calls: number
  readonly workspacePerMinute?: number
  /** Nano-dollars; absent: the calls are only counted. */
  readonly hold?: string
  /** What every admitted call costs; absent: they stay open. */
  readonly cost?: string
}

/** How many calls came to which verdict. */
export type Report = Readonly<Record<string, number>>

async function work(url: string, job: Job): Promise<Report> {
  const store = await openPostgresStore({ url })
  await store.ping()
  console.log('ready')
  for await (const _ of console) break

  const hold = job.hold === undefined ? undefined : nano(BigInt(job.hold))
  const limits = {
    ...NO_LIMITS,
    ...(job.workspacePerMinute && { workspacePerMinute: job.workspacePerMinute }),
  }
  const report: Record<string, number> = {}
  const admitted: RequestId[] = []
  await Promise.all(
    Array.from({ length: job.calls }, async () => {
      const admission = admissionOf(job.customer, hold, limits)
      const { kind } = await store.till.admit(admission)
      report[kind] = (report[kind] ?? 0) + 1
      if (kind === 'admitted') admitted.push(admission.id)
    }),
  )
  if (job.cost !== undefined) {
    const cost = nano(BigInt(job.cost))
    await Promise.all(admitted.map((id) => store.till.settle(settlementOf(job.customer, id, cost))))
  }
  await store.close()
  return report
}

if (import.meta.main) {
  const [url = '', job = '{}'] = process.argv.slice(2)
  console.log(JSON.stringify(await work(url, JSON.parse(job) as Job)))
  process.exit(0)
}
