import { expect } from 'bun:test'
import { nano } from '../../src/core/money.ts'
import type { Key, Rotated, Rotation } from '../../src/core/ports/directory.ts'
import type { Once } from '../../src/core/ports/once.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { contract } from './contract.ts'
import { NOON, admissionOf, createCustomer, ids, newKey, openCall } from './customer.ts'

/** How many ask for the same at once. */
const CALLERS = 10
const ROUNDS = 5

function rotationOf(id: Key['id'], overlapMs = 0): Rotation {
  const { id: successor, hint, secretHash } = newKey(ids.workspace())
  return { id, at: NOON, overlapMs, successor: { id: successor, hint, secretHash } }
}

function onceOf<Made>(name: string, subject: string, change: Partial<Once<Made>> = {}): Once<Made> {
  return {
    name,
    inputHash: 'the same',
    at: NOON,
    subject,
    answerOf: (made) =>
      JSON.stringify(made, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    answerUntil: null,
    ...change,
  }
}

/** A key in a database that two processes have open. */
async function keyOfTwo(store: Store, change: Partial<Key> = {}): Promise<Key['id']> {
  const { workspaceId } = await createCustomer(store)
  const key = newKey(workspaceId, change)
  await store.directory.createKey(key)
  return key.id
}

contract('rotations', (given, it) => {
  it('are made once, however many ask for them at once in two processes', async () => {
    const [here, there] = [given.store(), await given.database().open()]
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const id = await keyOfTwo(given.store())
        const verdicts = await Promise.all(
          Array.from({ length: CALLERS }, (_, i) =>
            (i % 2 === 0 ? here : there).directory.rotateKey(rotationOf(id, (i % 3) * 1_000)),
          ),
        )
        const made = verdicts.flatMap((verdict) => (verdict.kind === 'made' ? [verdict.made] : []))
        expect(made).toHaveLength(1)
        const successor = made[0]?.key.id
        for (const verdict of verdicts) {
          if (verdict.kind !== 'made')
            expect(verdict).toEqual({ kind: 'replaced', by: successor as Key['id'] })
        }
        expect(await there.directory.key(id)).toMatchObject({ replacedBy: successor })
      }
    } finally {
      await there.close()
    }
  })

  it('give the successor what the old key has at that moment, and its counters', async () => {
    const store = given.store()
    const id = await keyOfTwo(store, { name: 'ci', requestsPerDay: 3, models: ['m'], monthlySpend: nano(9n) })
    const old = await store.directory.key(id)
    const rotation = rotationOf(id, 60_000)
    const { id: next, hint } = rotation.successor
    const key = { ...old, id: next, hint, createdAt: NOON, countersId: id }
    const previous = { ...old, expiresAt: NOON + 60_000, replacedBy: next }
    expect(await store.directory.rotateKey(rotation)).toEqual({
      kind: 'made',
      made: { key, previous },
    } as never)
    expect(await store.directory.key(id)).toEqual(previous as Key)
    expect(await store.directory.key(next)).toEqual(key as Key)
    expect((await store.directory.findKey(rotation.successor.secretHash))?.key).toEqual(key as Key)
    const third = rotationOf(next)
    await store.directory.rotateKey(third)
    expect(await store.directory.key(third.successor.id)).toMatchObject({ countersId: id })
  })

  it('of a key that has ended, or that nobody knows, are refused', async () => {
    const store = given.store()
    const revoked = await keyOfTwo(store)
    await store.directory.revokeKey(revoked, NOON)
    const expired = await keyOfTwo(store, { expiresAt: NOON })
    expect(await store.directory.rotateKey(rotationOf(revoked))).toEqual({ kind: 'ended', status: 'revoked' })
    expect(await store.directory.rotateKey(rotationOf(expired))).toEqual({ kind: 'ended', status: 'expired' })
    expect(await store.directory.rotateKey(rotationOf(ids.key()))).toEqual({ kind: 'unknown' })
  })

  it('beside a revocation leave the old key dead, and a successor only where the rotation was made', async () => {
    const [here, there] = [given.store(), await given.database().open()]
    try {
      for (let round = 0; round < ROUNDS * 2; round++) {
        const id = await keyOfTwo(given.store())
        const rotation = rotationOf(id, 60_000)
        const [verdict] = await Promise.all([
          here.directory.rotateKey(rotation),
          there.directory.revokeKey(id, NOON),
        ])
        expect((await given.store().directory.key(id))?.revokedAt).toBe(NOON)
        const successor = await given.store().directory.key(rotation.successor.id)
        if (verdict.kind === 'made') expect(successor?.revokedAt).toBeNull()
        else expect(successor).toBeUndefined()
      }
    } finally {
      await there.close()
    }
  })

  it('double no limit: slots and windows of both keys are one', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 1_000n)
    const rotation = rotationOf(customer.keyId, 60_000)
    await store.directory.rotateKey(rotation)
    const successor = await store.directory.key(rotation.successor.id)
    await openCall(store, customer, 1n, { limits: { keyConcurrent: 1 } })
    const both = { workspaceId: customer.workspaceId, keyId: successor?.countersId as Key['id'] }
    const verdict = await store.till.admit(admissionOf(both, 1n, { limits: { keyConcurrent: 1 } }))
    expect(verdict).toMatchObject({ kind: 'rate_limited', rate: { name: 'key_concurrency' } })
  })
})

contract('changes under a name', (given, it) => {
  it('are made once, and every repetition is given the first answer', async () => {
    const [here, there] = [given.store(), await given.database().open()]
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const { workspaceId } = await createCustomer(given.store())
        const name = `create ${workspaceId}`
        const keys = Array.from({ length: CALLERS }, () => newKey(workspaceId))
        const verdicts = await Promise.all(
          keys.map((key, i) =>
            (i % 2 === 0 ? here : there).directory.createKey(key, onceOf<Key>(name, key.id)),
          ),
        )
        const made = verdicts.flatMap((verdict) => (verdict.kind === 'made' ? [verdict.made.id] : []))
        expect(made).toHaveLength(1)
        for (const verdict of verdicts) {
          if (verdict.kind === 'made') continue
          expect(verdict.kind).toBe('repeated')
          expect(verdict.kind === 'repeated' && JSON.parse(verdict.answer).id).toBe(made[0])
        }
        // Its customer's key, and this one.
        expect((await given.store().directory.keys(workspaceId, { limit: 100 })).items).toHaveLength(2)
      }
    } finally {
      await there.close()
    }
  })

  it('are a conflict where something else was asked for', async () => {
    const store = given.store()
    const { workspaceId } = await createCustomer(store)
    const name = `conflict ${workspaceId}`
    const [first, second] = [newKey(workspaceId), newKey(workspaceId)]
    await store.directory.createKey(first, onceOf<Key>(name, first.id))
    const other = onceOf<Key>(name, second.id, { inputHash: 'another' })
    expect(await store.directory.createKey(second, other)).toEqual({ kind: 'conflict' })
    expect(await store.directory.key(second.id)).toBeUndefined()
  })

  it('that were refused can be asked for again', async () => {
    const store = given.store()
    const id = await keyOfTwo(store)
    const unknown = rotationOf(ids.key())
    const name = `refused ${id}`
    expect(await store.directory.rotateKey(unknown, onceOf<Rotated>(name, id))).toEqual({ kind: 'unknown' })
    const rotation = rotationOf(id)
    const once = onceOf<Rotated>(name, rotation.successor.id)
    expect(await store.directory.rotateKey(rotation, once)).toMatchObject({ kind: 'made' })
    expect(await store.directory.rotateKey(rotationOf(id), once)).toMatchObject({ kind: 'repeated' })
  })

  it('have their answers forgotten when the time is over, at once and then for good', async () => {
    const store = given.store()
    const { workspaceId } = await createCustomer(store)
    const name = `forgotten ${workspaceId}`
    const key = newKey(workspaceId)
    const until = NOON + 600_000
    const once = (at: number) => onceOf<Key>(name, key.id, { at, answerUntil: until })
    await store.directory.createKey(key, once(NOON))
    expect(await store.directory.createKey(newKey(workspaceId), once(until - 1))).toMatchObject({
      kind: 'repeated',
    })
    const forgotten = { kind: 'forgotten' as const, subject: key.id }
    expect(await store.directory.createKey(newKey(workspaceId), once(until))).toEqual(forgotten)
    expect(await store.directory.forgetAnswers(until - 1)).toBe(0)
    expect(await store.directory.forgetAnswers(until)).toBe(1)
    expect(await store.directory.createKey(newKey(workspaceId), once(NOON))).toEqual(forgotten)
  })
})
