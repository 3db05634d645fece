import { expect, test } from 'bun:test'
import { nano } from '../../src/core/money.ts'
import { StoreUnavailable } from '../../src/core/ports/till.ts'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import { admissionOf, createCustomer, moneyOf, NOON, proveLedgers, settlementOf } from './customer.ts'
import { badLineTo } from '../support/postgres-proxy.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'

const CALLERS = 6
const CALLS_PER_CALLER = 150
const BALANCE = 1_000_000_000n
const HOLD = 1_000n
const EXTENSION = nano(50n)
const COST = 7n
/** One piece of data in so many is lost, with its connection; but none soon after another. */
const PIECES_PER_CUT = 20
const PIECES_BETWEEN_CUTS = 60
const CUTS_MIN = 5

test.skipIf(mustSkip('a bad line to Postgres'))(
  'a line that loses requests and answers, COMMITs among them, makes nothing happen twice and nothing get lost',
  async () => {
    const url = await (await sharedPostgres()).createDatabase()
    const random = seededRandom(20_261_120)
    let bad = false
    let passed = 0
    const line = await badLineTo(url, () => {
      const cuts = bad && ++passed > PIECES_BETWEEN_CUTS && random() < 1 / PIECES_PER_CUT
      if (cuts) passed = 0
      return cuts
    })
    const store = await openPostgresStore({ url: line.url })
    const customer = await createCustomer(store, BALANCE)
    bad = true

    let admitted = 0
    let extended = 0
    let unknown = 0
    async function call(): Promise<void> {
      const admission = admissionOf(customer, HOLD)
      try {
        await store.till.admit(admission)
        admitted++
        const { id, at, workspaceId, keyId } = admission
        const verdict = await store.till.extend({
          id,
          at,
          workspaceId,
          keyId,
          amount: EXTENSION,
          keyMonthlySpend: null,
        })
        if (verdict.kind === 'extended') extended++
        await store.till.settle(settlementOf(customer, id, COST))
      } catch (error) {
        expect(error).toBeInstanceOf(StoreUnavailable)
        unknown++
      }
    }
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        for (let i = 0; i < CALLS_PER_CALLER; i++) await call()
      }),
    )

    line.mend()

    expect(line.cuts()).toBeGreaterThan(CUTS_MIN)
    // Cuts are rare enough for the attempts of a step: then every call is exact, to the last count.
    expect(unknown).toBe(0)
    expect({ admitted, extended }).toEqual({
      admitted: CALLERS * CALLS_PER_CALLER,
      extended: CALLERS * CALLS_PER_CALLER,
    })
    expect(await proveLedgers(store)).toBe(1)
    expect(await moneyOf(store, customer)).toEqual({
      balance: nano(BALANCE - BigInt(admitted) * COST),
      held: nano(0n),
    })
    const standing = await store.books.keyStanding(customer.keyId, NOON)
    expect(standing.dayUsed).toBe(admitted)
    await store.close()
    await line.close()
  },
  TEST_LIMIT_MS,
)

/** Mulberry32: the same numbers for the same seed. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
