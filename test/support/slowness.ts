import { Database } from 'bun:sqlite'

/** What the reference computation takes on the machine on which the limits were set. */
const REFERENCE_MS = 40
const ROUNDS = 5
const COUNTED = 200_000

/**
 * How much slower this machine is than the one on which limits in milliseconds were set; never below 1. By CPU time,
 * and by the best of several rounds, so that neighbours do not count.
 */
export function slownessOfMachine(): number {
  const db = new Database(':memory:')
  const count = db.query(
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${COUNTED})
      select sum(length(printf('%d', n))) from numbers`,
  )
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    count.get()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1_000)
  }
  db.close()
  return Math.max(1, best / REFERENCE_MS)
}
