import { expect } from 'bun:test'
import { nano } from '../../src/core/money.ts'
import type { HeldOutput, Limits } from '../../src/core/ports/till.ts'
import { contract } from './contract.ts'
import {
  LEASE_MS,
  NOON,
  admissionOf,
  createCustomer,
  creditOf,
  freeSettlementOf,
  ids,
  moneyOf,
  newKey,
  openCall,
  proveLedgers,
  settlementOf,
  tallyOf,
} from './customer.ts'

contract('admission', (given, it) => {
  it('of 200 parallel requests exactly as many get a hold as the balance covers', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 3_799n)
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, () => store.till.admit(admissionOf(customer, 100n))),
    )
    expect(tallyOf(verdicts)).toEqual({ admitted: 37, insufficient_balance: 163 })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(3_799n), held: nano(3_700n) })
    expect(verdicts.findLast(({ kind }) => kind === 'insufficient_balance')).toMatchObject({
      needed: 100n,
      available: 99n,
      heldByOthers: true,
    })
  })

  it('of 600 parallel requests exactly 60 pass a limit of 60, and remaining falls by one each', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const limits = { workspacePerMinute: 60 }
    const verdicts = await Promise.all(
      Array.from({ length: 600 }, () => store.till.admit(admissionOf(customer, undefined, { limits }))),
    )
    expect(tallyOf(verdicts)).toEqual({ admitted: 60, rate_limited: 540 })
    const passed = verdicts.filter(({ kind }) => kind === 'admitted')
    expect(passed.map(({ rate }) => rate.remaining).sort((a, b) => b - a)).toEqual(
      Array.from({ length: 60 }, (_, i) => 59 - i),
    )
    const refused = verdicts.find(({ kind }) => kind === 'rate_limited')
    expect(refused).toEqual({
      kind: 'rate_limited',
      rate: { name: 'workspace_minute', limit: 60, remaining: 0, resetAt: NOON + 60_000 },
      retryAfterMs: 60_000,
    })
    const nextMinute = admissionOf(customer, undefined, { limits, at: NOON + 60_000 })
    expect((await store.till.admit(nextMinute)).kind).toBe('admitted')
  })

  it('the admission decides the hold by what is free at that moment, and says what the call could pay', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 10_000n)
    const ask = (need: bigint, most: bigint, output: HeldOutput, limits: Partial<Limits> = {}) =>
      store.till.admit({
        ...admissionOf(customer, 0n, { limits }),
        hold: { prompt: nano(0n), need: nano(need), most: nano(most), output, expiresAt: NOON + LEASE_MS },
      })
    const granted = (amount: bigint, affordable: bigint) => ({
      kind: 'admitted',
      hold: { amount, affordable },
    })
    expect(await ask(10n, 100n, 'seen')).toMatchObject(granted(100n, 10_000n))
    expect(await ask(10n, 5_000n, 'seen')).toMatchObject(granted(10n, 9_900n))
    expect(await ask(10n, 4_000n, 'unseen')).toMatchObject(granted(1_000n, 9_890n))
    expect(await ask(10n, 40_000n, 'unseen')).toMatchObject(granted(1_111n, 8_890n))
    expect(await ask(10n, 5_000n, 'seen', { keyMonthlySpend: nano(2_500n) })).toMatchObject(
      granted(10n, 279n),
    )
    expect(await ask(10n, 8_000n, 'full')).toMatchObject({ kind: 'insufficient_balance', needed: 8_000n })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(10_000n), held: nano(2_231n) })
    await proveLedgers(store)
  })

  it('a look says what a request would hear, and counts nothing', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const limits = { workspacePerMinute: 2 }
    const ask = (more: { look?: boolean } = {}) =>
      store.till.admit({ ...admissionOf(customer, undefined, { limits }), ...more })
    const looks = await Promise.all(Array.from({ length: 10 }, () => ask({ look: true })))
    expect(looks.map(({ kind, rate }) => [kind, rate.remaining])).toEqual(looks.map(() => ['admitted', 1]))
    expect([(await ask()).kind, (await ask({ look: true })).kind, (await ask()).kind]).toEqual(
      Array(3).fill('admitted'),
    )
    expect(await ask({ look: true })).toEqual({
      kind: 'rate_limited',
      rate: { name: 'workspace_minute', limit: 2, remaining: 0, resetAt: NOON + 60_000 },
      retryAfterMs: 60_000,
    })
  })

  it('parallel requests of two keys share the window of their workspace and each have their own', async () => {
    const store = given.store()
    const first = await createCustomer(store)
    const key = newKey(first.workspaceId)
    await store.directory.createKey(key)
    const second = { ...first, keyId: key.id }
    const limits = { workspacePerMinute: 50, keyPerMinute: 30 }
    const verdicts = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        store.till.admit(admissionOf(i % 2 ? first : second, undefined, { limits })),
      ),
    )
    expect(tallyOf(verdicts)).toEqual({ admitted: 50, rate_limited: 50 })
    expect((await store.books.keyStanding(first.keyId, NOON)).minuteUsed).toBe(25)
    expect((await store.books.keyStanding(second.keyId, NOON)).minuteUsed).toBe(25)
  })

  it('a 402 has counted its request, a 429 has not', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 10n)
    const limits = { keyPerDay: 2 }
    const refused = await store.till.admit(admissionOf(customer, 11n, { limits }))
    expect(refused).toMatchObject({ kind: 'insufficient_balance', available: 10n, heldByOthers: false })
    expect(await store.till.admit(admissionOf(customer, 10n, { limits }))).toMatchObject({ kind: 'admitted' })
    for (const _ of [1, 2]) {
      expect(await store.till.admit(admissionOf(customer, 1n, { limits }))).toMatchObject({
        kind: 'rate_limited',
        rate: { name: 'key_day' },
      })
    }
    const standing = await store.books.keyStanding(customer.keyId, NOON)
    expect(standing).toMatchObject({ dayUsed: 2, minuteUsed: 2, openCalls: 1 })
  })

  it('a window is never replaced by an older one: a request of another clock, or a late one, counts in it', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const limits = { workspacePerMinute: 2, keyPerDay: 3 }
    const take = (at: number) => store.till.admit(admissionOf(customer, undefined, { limits, at }))
    expect([(await take(NOON)).kind, (await take(NOON - 61_000)).kind]).toEqual(['admitted', 'admitted'])
    for (const late of [0, 61_000, 3_600_000]) {
      expect(await take(NOON - late)).toMatchObject({
        kind: 'rate_limited',
        rate: { name: 'workspace_minute', resetAt: NOON + 60_000 },
      })
    }
    const midnight = Date.UTC(2026, 10, 21)
    const last = await Promise.all([midnight, midnight - 1, midnight - 2 * 60_000].map(take))
    expect(tallyOf(last)).toEqual({ admitted: 2, rate_limited: 1 })
    expect((await store.books.keyStanding(customer.keyId, midnight)).dayUsed).toBe(2)
  })

  it('a day ends at midnight UTC and a minute 60 s after its first request', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const limits = { keyPerDay: 1 }
    const lastMoment = Date.parse('2028-02-29T23:59:59.999Z')
    const at = async (moment: number) =>
      (await store.till.admit(admissionOf(customer, undefined, { limits, at: moment }))).kind
    expect(await at(lastMoment)).toBe('admitted')
    expect(await at(lastMoment)).toBe('rate_limited')
    expect(await at(lastMoment + 1)).toBe('admitted')
    const standing = await store.books.keyStanding(customer.keyId, lastMoment + 60_000)
    expect(standing).toMatchObject({ minuteUsed: 0, minuteResetAt: null, dayUsed: 1 })
  })

  it('a key has as many calls at once as its limit, and a slot is free again after settlement and sweep', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000n)
    const limits = { keyConcurrent: 3 }
    const admissions = Array.from({ length: 10 }, () => admissionOf(customer, 0n, { limits }))
    const verdicts = await Promise.all(admissions.map((admission) => store.till.admit(admission)))
    expect(tallyOf(verdicts)).toEqual({ admitted: 3, rate_limited: 7 })
    const open = admissions.filter((_, i) => verdicts[i]?.kind === 'admitted').map(({ id }) => id)

    const [first] = open
    if (first === undefined) throw new Error('none is open')
    await store.till.settle(settlementOf(customer, first, 0n))
    await openCall(store, customer, 5n, { limits })
    expect((await store.till.admit(admissionOf(customer, 1n, { limits }))).kind).toBe('rate_limited')
    expect((await store.till.admit(admissionOf(customer, undefined, { limits }))).kind).toBe('admitted')

    await store.till.sweep(NOON + LEASE_MS)
    expect((await store.books.keyStanding(customer.keyId, NOON)).openCalls).toBe(0)
    await openCall(store, customer, 5n, { limits })
  })

  it('of 100 parallel requests exactly as many get a hold as the monthly spend of their key covers', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 10_000n)
    const limits = { keyMonthlySpend: nano(1_050n) }
    const admissions = Array.from({ length: 100 }, () => admissionOf(customer, 100n, { limits }))
    const verdicts = await Promise.all(admissions.map((admission) => store.till.admit(admission)))
    expect(tallyOf(verdicts)).toEqual({ admitted: 10, spend_limit_exceeded: 90 })
    expect(verdicts.find(({ kind }) => kind === 'spend_limit_exceeded')).toMatchObject({
      needed: 100n,
      available: 50n,
      heldByOthers: true,
    })
    const open = admissions.filter((_, i) => verdicts[i]?.kind === 'admitted')
    await Promise.all(open.map(({ id }) => store.till.settle(settlementOf(customer, id, 99n))))
    expect(await store.books.keyStanding(customer.keyId, NOON)).toMatchObject({
      monthSpent: 990n,
      monthHeld: 0n,
    })
    const last = await store.till.admit(admissionOf(customer, 61n, { limits }))
    expect(last).toMatchObject({ kind: 'spend_limit_exceeded', available: 60n, heldByOthers: false })
    expect((await store.till.admit(admissionOf(customer, 60n, { limits }))).kind).toBe('admitted')
  })

  it('a call is charged to the month in which it started', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000n)
    const lastMoment = Date.parse('2026-11-30T23:59:59.999Z')
    const limits = { keyMonthlySpend: nano(100n) }
    const id = await openCall(store, customer, 100n, { limits, at: lastMoment })
    await openCall(store, customer, 100n, { limits, at: lastMoment + 1 })
    await store.till.settle(settlementOf(customer, id, 40n, { startedAt: lastMoment }))
    expect(await store.books.keyStanding(customer.keyId, lastMoment)).toMatchObject({
      monthSpent: 40n,
      monthHeld: 0n,
    })
    expect(await store.books.keyStanding(customer.keyId, lastMoment + 1)).toMatchObject({
      monthSpent: 0n,
      monthHeld: 100n,
    })
  })

  it('a call that cannot be decided fails alone: the others of its group are admitted', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000n)
    const nobody = { workspaceId: ids.workspace(), keyId: ids.key() }
    const results = await Promise.allSettled([
      store.till.admit(admissionOf(customer, 10n)),
      store.till.admit(admissionOf(nobody, 10n)),
      store.till.admit(admissionOf(customer, 10n)),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(1_000n), held: nano(20n) })
  })

  it('a call that is admitted again under its id holds once, and its group goes on', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000n)
    const admission = admissionOf(customer, 10n)
    await store.till.admit(admission)
    await Promise.allSettled([store.till.admit(admission), store.till.admit(admissionOf(customer, 5n))])
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(1_000n), held: nano(15n) })
    expect((await store.books.keyStanding(customer.keyId, NOON)).openCalls).toBe(2)
    expect(await proveLedgers(store)).toBeGreaterThan(0)
  })

  it('the same call twice in one group holds once', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000n)
    const admission = admissionOf(customer, 10n)
    await Promise.allSettled([store.till.admit(admission), store.till.admit(admission)])
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(1_000n), held: nano(10n) })
    expect(await proveLedgers(store)).toBeGreaterThan(0)
  })

  it('amounts of 64 bits come through unharmed', async () => {
    const store = given.store()
    const most = 9_223_372_036_854_775_807n
    const customer = await createCustomer(store, most)
    const id = await openCall(store, customer, most - 1n)
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(most), held: nano(most - 1n) })
    const result = await store.till.settle(settlementOf(customer, id, most - 2n))
    expect(result).toEqual({ charge: nano(most - 2n), writeoff: nano(0n), balance: nano(2n) })
  })
})

contract('an admission that holds nothing', (given, it) => {
  it('counts the request and asks for the money, and leaves nothing behind', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const remaining = async (need: bigint, holdsNothing?: true) => {
      const verdict = await store.till.admit({
        ...admissionOf(customer, need),
        ...(holdsNothing && { holdsNothing }),
      })
      return [verdict.kind, verdict.rate.remaining]
    }
    const [, first = 0] = await remaining(30n, true)
    expect(await remaining(30n, true)).toEqual(['admitted', Number(first) - 1])
    expect(await remaining(101n, true)).toEqual(['insufficient_balance', Number(first) - 2])
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(100n), held: nano(0n) })
    expect(await remaining(100n)).toEqual(['admitted', Number(first) - 3])
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(100n), held: nano(100n) })
  })
})

contract('extension', (given, it) => {
  it('grows a hold while the balance allows, and refuses beyond', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 30n)
    const extend = (amount: bigint, keyMonthlySpend: bigint | null = null) =>
      store.till.extend({
        id,
        at: NOON + 1,
        ...customer,
        amount: nano(amount),
        keyMonthlySpend: keyMonthlySpend === null ? null : nano(keyMonthlySpend),
      })
    expect(await extend(50n)).toEqual({ kind: 'extended', amount: nano(50n) })
    expect(await extend(21n)).toEqual({ kind: 'refused', heldByOthers: false })
    expect(await extend(11n, 90n)).toEqual({ kind: 'refused', heldByOthers: false })
    expect(await extend(10n, 90n)).toEqual({ kind: 'extended', amount: nano(10n) })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(100n), held: nano(90n) })
    expect(await store.till.settle(settlementOf(customer, id, 90n))).toMatchObject({ charge: 90n })
    expect(await extend(1n)).toEqual({ kind: 'gone' })
    const lines = await store.books.transfersOf(id)
    expect(lines.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['hold', nano(30n)],
      ['extend', nano(50n)],
      ['extend', nano(10n)],
      ['release', nano(90n)],
      ['charge', nano(90n)],
    ])
  })

  it('takes what is free where that is enough, and says where only other calls are in the way', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 30n)
    const other = await openCall(store, customer, 40n)
    const extend = (amount: bigint, least: bigint) =>
      store.till.extend({
        id,
        at: NOON + 1,
        ...customer,
        amount: nano(amount),
        least: nano(least),
        keyMonthlySpend: null,
      })
    expect(await extend(70n, 31n)).toEqual({ kind: 'refused', heldByOthers: true })
    expect(await extend(70n, 30n)).toEqual({ kind: 'extended', amount: nano(30n) })
    expect(await extend(41n, 41n)).toEqual({ kind: 'refused', heldByOthers: false })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(100n), held: nano(100n) })
    await store.till.settle(settlementOf(customer, other, 0n))
    expect(await extend(70n, 1n)).toEqual({ kind: 'extended', amount: nano(40n) })
  })

  it('parallel extensions never hold more than the balance', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 105n)
    const open = await Promise.all(Array.from({ length: 10 }, () => openCall(store, customer, 5n)))
    const verdicts = await Promise.all(
      open.map((id) =>
        store.till.extend({ id, at: NOON, ...customer, amount: nano(10n), keyMonthlySpend: null }),
      ),
    )
    expect(tallyOf(verdicts)).toEqual({ extended: 5, refused: 5 })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(105n), held: nano(100n) })
  })
})

contract('settlement', (given, it) => {
  it('charges, releases and records once, however often it is repeated', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 60n)
    const settlement = settlementOf(customer, id, 25n)
    const together = await Promise.all([1, 2, 3].map(() => store.till.settle(settlement)))
    const later = await store.till.settle({ ...settlement, cost: nano(99n) })
    const result = { charge: nano(25n), writeoff: nano(0n), balance: nano(75n) }
    const again = { ...result, repeated: true }
    expect([...together, later]).toEqual([result, again, again, again])
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(75n), held: nano(0n) })
    const lines = await store.books.transfersOf(id)
    expect(lines.map(({ kind, amount, balance }) => [kind, amount, balance])).toEqual([
      ['hold', nano(60n), nano(100n)],
      ['release', nano(60n), nano(100n)],
      ['charge', nano(25n), nano(75n)],
    ])
  })

  it('that refunds takes an earlier one of its call back: nothing is charged, and the ledger says why', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 60n)
    await store.till.settle({ ...settlementOf(customer, id, 125n), keyMonthlySpend: nano(70n) })
    const free = freeSettlementOf(customer, id)
    const result = { charge: nano(0n), writeoff: nano(0n), balance: nano(100n) }
    expect(await store.till.settle(free)).toEqual({ ...result, refund: nano(70n) })
    const again = { ...result, repeated: true }
    expect(await store.till.settle(free)).toEqual(again)
    expect(await store.till.settle(settlementOf(customer, id, 25n))).toEqual(again)

    expect(await moneyOf(store, customer)).toEqual({ balance: nano(100n), held: nano(0n) })
    expect((await store.books.keyStanding(customer.keyId, NOON)).monthSpent).toBe(nano(0n))
    expect(await store.books.receipt(id)).toEqual({
      ...free.record,
      hold: nano(60n),
      charge: nano(0n),
      writeoff: nano(0n),
    })
    const lines = await store.books.transfersOf(id)
    expect(lines.map(({ kind, amount, balance }) => [kind, amount, balance])).toEqual([
      ['hold', nano(60n), nano(100n)],
      ['release', nano(60n), nano(100n)],
      ['charge', nano(70n), nano(30n)],
      ['writeoff', nano(55n), nano(30n)],
      ['refund', nano(70n), nano(100n)],
    ])
    await proveLedgers(store)
  })

  it('that refunds where nothing was settled before is a settlement that costs nothing', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 60n)
    const result = { charge: nano(0n), writeoff: nano(0n), balance: nano(100n) }
    expect(await store.till.settle(freeSettlementOf(customer, id))).toEqual(result)
    expect(await store.till.settle(settlementOf(customer, id, 25n))).toEqual({ ...result, repeated: true })
    expect((await store.books.transfersOf(id)).map(({ kind }) => kind)).toEqual(['hold', 'release'])
  })

  it('and the one that takes it back may share a transaction, with others between them', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 10n)
    const other = await openCall(store, customer, 10n)
    const [, , free] = await Promise.all([
      store.till.settle(settlementOf(customer, id, 10n)),
      store.till.settle(settlementOf(customer, other, 5n)),
      store.till.settle(freeSettlementOf(customer, id)),
    ])
    expect(free).toMatchObject({ charge: nano(0n), refund: nano(10n) })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(95n), held: nano(0n) })
    expect(await store.books.receipt(id)).toMatchObject({ ending: 'gateway_failed', charge: nano(0n) })
    expect((await store.books.transfersOf(id)).map(({ kind }) => kind)).toEqual([
      'hold',
      'release',
      'charge',
      'refund',
    ])
    await proveLedgers(store)
  })

  it('writes a receipt that has everything of the record and what the till did', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 60n)
    const settlement = settlementOf(customer, id, 25n, {
      stream: true,
      ending: 'client_left',
      usage: {
        promptTokens: 20,
        cachedTokens: 5,
        cacheWriteTokens: 3,
        completionTokens: 9,
        reasoningTokens: 4,
      },
      usageSource: 'estimated',
      lines: [
        { class: 'input', tokens: 12, unitPrice: nano(500_000_000n) },
        { class: 'reasoning', tokens: 4, unitPrice: nano(9_007_199_254_740_993n) },
      ],
      attempts: [
        {
          provider: 'first',
          upstreamModel: 'a',
          startedAt: NOON,
          endedAt: NOON + 1,
          outcome: 'overloaded',
          status: 503,
        },
        {
          provider: 'second',
          upstreamModel: 'b',
          startedAt: NOON + 2,
          endedAt: NOON + 3,
          outcome: 'answered',
        },
      ],
      user: "o'Brien; drop table keys --",
    })
    await store.till.settle(settlement)
    expect(await store.books.receipt(id)).toEqual({
      ...settlement.record,
      hold: nano(60n),
      charge: nano(25n),
      writeoff: nano(0n),
    })
  })

  it('a call that costs nothing still has a record, and absent values stay absent', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 60n)
    const settlement = settlementOf(customer, id, 0n, {
      ending: 'provider_failed_before_answer',
      status: 502,
      provider: null,
      upstreamModel: null,
      firstEventAt: null,
      lines: [],
      attempts: [],
    })
    await store.till.settle(settlement)
    expect(await store.books.receipt(id)).toEqual({
      ...settlement.record,
      hold: nano(60n),
      charge: nano(0n),
      writeoff: nano(0n),
    })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(100n), held: nano(0n) })
    expect((await store.books.transfersOf(id)).map(({ kind }) => kind)).toEqual(['hold', 'release'])
  })

  it("a cost above the key's monthly spend is charged up to the limit, the rest is written off", async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000n)
    const id = await openCall(store, customer, 10n)
    const result = await store.till.settle({
      ...settlementOf(customer, id, 95n),
      keyMonthlySpend: nano(60n),
    })
    expect(result).toEqual({ charge: nano(60n), writeoff: nano(35n), balance: nano(940n) })
    expect(await store.books.keyStanding(customer.keyId, NOON)).toMatchObject({
      monthSpent: 60n,
      monthHeld: 0n,
    })
  })

  it('a cost above the balance is charged down to what other calls hold, the rest is written off', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 10n)
    await openCall(store, customer, 30n)
    const result = await store.till.settle(settlementOf(customer, id, 95n))
    expect(result).toEqual({ charge: nano(70n), writeoff: nano(25n), balance: nano(30n) })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(30n), held: nano(30n) })
    expect(await store.books.receipt(id)).toMatchObject({ hold: 10n, charge: 70n, writeoff: 25n })
    expect((await store.books.transfersOf(id)).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['hold', nano(10n)],
      ['release', nano(10n)],
      ['charge', nano(70n)],
      ['writeoff', nano(25n)],
    ])
  })

  it('a call whose hold was swept is settled against what is available, once', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 80n, { expiresAt: NOON + 1 })
    await store.till.sweep(NOON + 1)
    await openCall(store, customer, 90n)
    const settlement = settlementOf(customer, id, 40n)
    const result = { charge: nano(10n), writeoff: nano(30n), balance: nano(90n) }
    expect(await store.till.settle(settlement)).toEqual(result)
    expect(await store.till.settle(settlement)).toEqual({ ...result, repeated: true })
    expect(await store.books.receipt(id)).toMatchObject({ hold: 0n, charge: 10n, writeoff: 30n })
    expect((await store.books.keyStanding(customer.keyId, NOON)).monthSpent).toBe(nano(10n))
    const kinds = (await store.books.transfersOf(id)).map(({ kind }) => kind)
    expect(kinds).toEqual(['hold', 'release', 'charge', 'writeoff'])
  })

  it('admissions, extensions and settlements of one turn add up, in whatever order they are taken', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const grows = await openCall(store, customer, 20n)
    const ends = await openCall(store, customer, 30n)
    const [admitted, extended, settled] = await Promise.all([
      store.till.admit(admissionOf(customer, 60n)),
      store.till.extend({ id: grows, at: NOON, ...customer, amount: nano(40n), keyMonthlySpend: null }),
      store.till.settle(settlementOf(customer, ends, 25n)),
    ])
    const held = 20n + (extended.kind === 'extended' ? 40n : 0n) + (admitted.kind === 'admitted' ? 60n : 0n)
    expect(settled).toMatchObject({ charge: 25n, writeoff: 0n })
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(75n), held: nano(held) })
    expect(await proveLedgers(store)).toBeGreaterThan(0)
  })

  it('500 calls of five customers at once leave every ledger adding up', async () => {
    const store = given.store()
    const customers = await Promise.all(Array.from({ length: 5 }, () => createCustomer(store, 10_000n)))
    await Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        const customer = customers[i % 5]
        if (!customer) return
        const admission = admissionOf(customer, BigInt(100 + (i % 7) * 50))
        if ((await store.till.admit(admission)).kind !== 'admitted') return
        if (i % 3 === 0) {
          const more = { id: admission.id, at: NOON, ...customer, amount: nano(75n), keyMonthlySpend: null }
          await store.till.extend(more)
        }
        await store.till.settle(settlementOf(customer, admission.id, BigInt((i * 37) % 400)))
      }),
    )
    expect(await proveLedgers(store)).toBeGreaterThanOrEqual(5)
    for (const customer of customers) {
      const { balance, held } = await moneyOf(store, customer)
      const { items } = await store.books.requests({ workspaceId: customer.workspaceId, limit: 100 })
      const charged = items.reduce((sum, { charge }) => sum + charge, 0n)
      expect(balance).toBe(nano(10_000n - charged))
      expect(held).toBe(nano(0n))
    }
  })
})

contract('leases', (given, it) => {
  it('a sweep releases exactly the holds whose lease has run out', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const dead = await openCall(store, customer, 10n, { expiresAt: NOON + 1_000 })
    await openCall(store, customer, 20n, { expiresAt: NOON + 1_001 })
    expect(await store.till.sweep(NOON + 1_000)).toBe(1)
    expect(await store.till.sweep(NOON + 1_000)).toBe(0)
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(100n), held: nano(20n) })
    expect(await store.books.transfersOf(dead)).toMatchObject([
      { kind: 'hold', amount: 10n, balance: 100n },
      { kind: 'release', amount: 10n, balance: 100n, createdAt: NOON + 1_000 },
    ])
    expect(await store.books.keyStanding(customer.keyId, NOON)).toMatchObject({
      monthHeld: 20n,
      openCalls: 1,
    })
  })

  it('a renewed lease keeps its hold, and renewing what is gone is ignored', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const alive = await openCall(store, customer, 10n, { expiresAt: NOON + 2_000 })
    await store.till.renew([alive, ids.request('chatcmpl-')], NOON + 9_000)
    expect(await store.till.sweep(NOON + 8_999)).toBe(1)
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(100n), held: nano(10n) })
    expect(await store.till.sweep(NOON + 9_000)).toBe(1)
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(100n), held: nano(0n) })
    await store.till.renew([], NOON)
  })

  it('two sweeps at once release each hold once', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 10_000n)
    const expiresAt = NOON + 100_000
    await Promise.all(Array.from({ length: 700 }, () => openCall(store, customer, 10n, { expiresAt })))
    const [first, second] = await Promise.all([store.till.sweep(expiresAt), store.till.sweep(expiresAt)])
    expect((first ?? 0) + (second ?? 0)).toBe(700)
    expect(await moneyOf(store, customer)).toEqual({ balance: nano(10_000n), held: nano(0n) })
    expect(await proveLedgers(store)).toBeGreaterThan(0)
  })

  it('what is held can be neither adjusted away nor held twice', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    await openCall(store, customer, 80n)
    const adjust = (amount: bigint) =>
      store.books.credit(creditOf(customer, { kind: 'adjust', amount: nano(amount) }))
    expect(await adjust(21n)).toEqual({ kind: 'insufficient', available: nano(20n) })
    expect(await adjust(20n)).toMatchObject({ kind: 'done', transfer: { kind: 'adjust', balance: 80n } })
    expect((await store.till.admit(admissionOf(customer, 1n))).kind).toBe('insufficient_balance')
  })
})
