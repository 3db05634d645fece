import { expect } from 'bun:test'
import type { RequestId } from '../../src/core/id.ts'
import type { Claim } from '../../src/core/ports/answers.ts'
import { contract } from './contract.ts'
import {
  LEASE_MS,
  NOON,
  createCustomer,
  freeSettlementOf,
  ids,
  openCall,
  settlementOf,
  tallyOf,
  type Customer,
} from './customer.ts'

const DAY_MS = 86_400_000

function claimOf({ workspaceId }: Customer, idempotencyKey: string, more: Partial<Claim> = {}): Claim {
  return {
    id: ids.request('chatcmpl-'),
    workspaceId,
    idempotencyKey,
    bodyHash: 'a'.repeat(64),
    at: NOON,
    leaseUntil: NOON + LEASE_MS,
    ...more,
  }
}

function answerFor(idempotencyKey: string, body = '{"id":"1"}') {
  return { idempotencyKey, contentType: 'application/json', body, expiresAt: NOON + DAY_MS }
}

contract('answers', (given, it) => {
  it('of ten parallel claims of one key exactly one is the first, the others learn which', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const claims = Array.from({ length: 10 }, () => claimOf(customer, 'k'))
    const verdicts = await Promise.all(claims.map((claim) => store.answers.claim(claim)))
    expect(tallyOf(verdicts)).toEqual({ claimed: 1, running: 9 })
    const winner = claims[verdicts.findIndex(({ kind }) => kind === 'claimed')]?.id
    for (const verdict of verdicts)
      if (verdict.kind === 'running') expect(verdict.id).toBe(winner as RequestId)
  })

  it('an answer that was not sent is not kept: the settlement that refunds its call frees the key', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 10n)
    await store.answers.claim(claimOf(customer, 'k', { id }))
    await store.till.settle({ ...settlementOf(customer, id, 5n), answer: answerFor('k') })
    await store.till.settle(freeSettlementOf(customer, id))
    expect(await store.answers.claim(claimOf(customer, 'k'))).toEqual({ kind: 'claimed' })
    await store.till.settle(freeSettlementOf(customer, id))
    expect(await store.answers.claim(claimOf(customer, 'k'))).toMatchObject({ kind: 'running' })
  })

  it('an answer is kept with its settlement and replayed until it expires', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 10n)
    await store.answers.claim(claimOf(customer, 'k', { id }))
    const body = '{"text":"naïve “quotes” \\u0000 \u{1F600}"}'
    await store.till.settle({ ...settlementOf(customer, id, 5n), answer: answerFor('k', body) })
    const twin = claimOf(customer, 'k', { at: NOON + LEASE_MS + 1 })
    expect(await store.answers.claim(twin)).toEqual({
      kind: 'kept',
      id,
      contentType: 'application/json',
      body,
    })
    expect(await store.answers.claim({ ...twin, at: NOON + DAY_MS })).toEqual({ kind: 'claimed' })
  })

  it('the same key with another body is a conflict, running or kept; in another workspace it is another key', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 10n)
    await store.answers.claim(claimOf(customer, 'k', { id }))
    const other = { bodyHash: 'b'.repeat(64) }
    expect(await store.answers.claim(claimOf(customer, 'k', other))).toEqual({ kind: 'conflict' })
    await store.till.settle({ ...settlementOf(customer, id, 5n), answer: answerFor('k') })
    expect(await store.answers.claim(claimOf(customer, 'k', other))).toEqual({ kind: 'conflict' })
    const stranger = await createCustomer(store)
    expect(await store.answers.claim(claimOf(stranger, 'k', other))).toEqual({ kind: 'claimed' })
  })

  it('a failed call frees its key, and only its own claim', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const first = claimOf(customer, 'k')
    await store.answers.claim(first)
    await store.answers.free(customer.workspaceId, 'k', ids.request('chatcmpl-'))
    expect((await store.answers.claim(claimOf(customer, 'k'))).kind).toBe('running')
    await store.answers.free(customer.workspaceId, 'k', first.id)
    expect((await store.answers.claim(claimOf(customer, 'k'))).kind).toBe('claimed')
  })

  it('a kept answer is not freed', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 10n)
    await store.answers.claim(claimOf(customer, 'k', { id }))
    await store.till.settle({ ...settlementOf(customer, id, 5n), answer: answerFor('k') })
    await store.answers.free(customer.workspaceId, 'k', id)
    expect((await store.answers.claim(claimOf(customer, 'k'))).kind).toBe('kept')
  })

  it('a claim whose process died is free when its lease runs out; renewing the call keeps it', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 10n)
    await store.answers.claim(claimOf(customer, 'k', { id }))
    await store.till.renew([id], NOON + 2 * LEASE_MS)
    const later = claimOf(customer, 'k', { at: NOON + LEASE_MS, leaseUntil: NOON + 3 * LEASE_MS })
    expect(await store.answers.claim(later)).toEqual({ kind: 'running', id })
    const taken = { ...later, at: NOON + 2 * LEASE_MS }
    expect(await store.answers.claim(taken)).toEqual({ kind: 'claimed' })
    // The first call lives after all: it is charged, but the key is no longer its own.
    await store.till.settle({ ...settlementOf(customer, id, 5n), answer: answerFor('k') })
    const third = claimOf(customer, 'k', { at: NOON + 2 * LEASE_MS })
    expect(await store.answers.claim(third)).toEqual({ kind: 'running', id: taken.id })
    expect(await store.books.receipt(id)).toMatchObject({ charge: 5n })
  })

  it('a renewal does not lengthen the life of a kept answer', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 10n)
    await store.answers.claim(claimOf(customer, 'k', { id }))
    await store.till.settle({ ...settlementOf(customer, id, 5n), answer: answerFor('k') })
    await store.till.renew([id], NOON + 9 * DAY_MS)
    const after = claimOf(customer, 'k', { at: NOON + DAY_MS })
    expect(await store.answers.claim(after)).toEqual({ kind: 'claimed' })
  })
})

contract('expiry of answers', (given, it) => {
  it('deletes what has expired and nothing else', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 100n)
    const id = await openCall(store, customer, 10n)
    await store.answers.claim(claimOf(customer, 'kept', { id }))
    await store.till.settle({ ...settlementOf(customer, id, 5n), answer: answerFor('kept') })
    await store.answers.claim(claimOf(customer, 'running'))
    expect(await store.answers.expire(NOON + LEASE_MS - 1)).toBe(0)
    expect(await store.answers.expire(NOON + LEASE_MS)).toBe(1)
    expect((await store.answers.claim(claimOf(customer, 'kept'))).kind).toBe('kept')
    expect(await store.answers.expire(NOON + DAY_MS)).toBe(1)
    expect((await store.answers.claim(claimOf(customer, 'kept'))).kind).toBe('claimed')
  })
})
