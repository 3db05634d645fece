import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '../../src/store/sqlite/openSqliteStore.ts'
import { slownessOfMachine } from '../support/slowness.ts'
import { scaled } from '../support/scale.ts'
import { fillLargeBooks, type LargeBooks } from './largeBooks.ts'
import { type Measured, measure, percentile99 } from './largeBooksMeasure.ts'
import { type Operation, largeOperations } from './largeBooksOperations.ts'

/**
 * SQLite answers in the gateway's own thread: what a list, a report or a clean-up does in one piece holds up every
 * call. This is the promise that none does, whatever the books have grown to.
 */
const SIZE = scaled({
  short: { records: 20_000, expiredHolds: 500, expiredAnswers: 1_000, liveCalls: 500 },
  budgeted: { records: 500_000, expiredHolds: 10_000, expiredAnswers: 20_000, liveCalls: 1_000 },
  long: { records: 5_000_000, expiredHolds: 50_000, expiredAnswers: 100_000, liveCalls: 5_000 },
})
/** How long one of them may keep the event loop, on the machine that `slownessOfMachine` takes as its measure. */
const STALL_MAX_MS = 20
/** The same with what the disk takes, which the neighbours' use of it decides as well: no sync of a long log. */
const STALL_WITH_DISK_MAX_MS = 250
/** What the machine did once is no fault of the operation, nor is a collection of garbage that another left. */
const TRIES_MAX = 3
/** A page that somebody waits for, in all; with admissions that go on beside it. */
const PAGE_MAX_MS = 1_000
/** An admission waits for the turns of others, and for the commit of its own group. */
const ADMISSION_P99_MAX_MS = 20
const FILL_LIMIT_MS = scaled({ short: 20_000, long: 400_000 })
const LIMIT_MS = scaled({ short: 30_000, long: 800_000 })

const folder = mkdtempSync(join(tmpdir(), 'tollgate-large-'))
const path = join(folder, 'large.db')
let books: LargeBooks

beforeAll(async () => {
  const startedAt = performance.now()
  books = await fillLargeBooks({ path, ...SIZE })
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  console.log(`filled ${books.records} usage records in ${seconds} s`)
}, FILL_LIMIT_MS)
afterAll(() => rmSync(folder, { recursive: true }))

describe('the books of years', () => {
  test(
    'no list, report or clean-up keeps the event loop for long, nor the calls that go on beside it',
    async () => {
      const slowness = slownessOfMachine()
      const store = await openSqliteStore({ path, durability: 'default', now: Date.now })
      const admissions: number[] = []
      const tooLong: string[] = []
      console.log(`slowness ${slowness.toFixed(2)}\n  stall  with disk     total  admission p99   ms`)
      for (const operation of largeOperations(SIZE)) {
        let faults: string[] = []
        for (let tries = 0; tries < TRIES_MAX && (tries === 0 || faults.length > 0); tries++) {
          const measured = await measure(store, books, operation)
          for (const ms of measured.admissionsMs) admissions.push(ms)
          console.log(rowOf(measured))
          faults = faultsOf(measured, operation, slowness)
        }
        tooLong.push(...faults)
      }
      await store.close()
      expect(tooLong).toEqual([])
      expect(percentile99(admissions)).toBeLessThan(ADMISSION_P99_MAX_MS * slowness)
    },
    LIMIT_MS,
  )
})

function rowOf({ name, stalls, totalMs, admissionsMs }: Measured): string {
  const figures = [
    stalls.busyMs.toFixed(1).padStart(7),
    stalls.blockedMs.toFixed(1).padStart(10),
    totalMs.toFixed(0).padStart(9),
    percentile99(admissionsMs).toFixed(1).padStart(14),
  ]
  return `${figures.join(' ')}   ${name}`
}

function faultsOf({ name, stalls, totalMs }: Measured, { page }: Operation, slowness: number): string[] {
  const faults: string[] = []
  if (stalls.busyMs > STALL_MAX_MS * slowness) faults.push(`${name} stalls for ${stalls.busyMs} ms`)
  if (stalls.blockedMs > STALL_WITH_DISK_MAX_MS * slowness) {
    faults.push(`${name} stalls for ${stalls.blockedMs} ms with the disk`)
  }
  if (page && totalMs > PAGE_MAX_MS * slowness) faults.push(`${name} takes ${totalMs} ms`)
  return faults
}
