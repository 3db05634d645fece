import { expect } from 'bun:test'
import type { KeyId, WorkspaceId } from '../../src/core/id.ts'
import { nano } from '../../src/core/money.ts'
import { UnknownCursor } from '../../src/core/ports/page.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { contract } from './contract.ts'
import { NOON, createCustomer, creditOf, ids, newKey, newWorkspace, openCall } from './customer.ts'
import { rejectionOf } from '../support/rejection.ts'

/** How soon every process has heard of a change. */
const HEARD_WITHIN_MS = 5_000

contract('workspaces', (given, it) => {
  it('are read as they were created, with an empty balance', async () => {
    const store = given.store()
    const workspace = newWorkspace({
      name: 'Ünïcode "Söhne"',
      type: 'organization',
      requestsPerMinute: 7,
      models: ['acme/chat-1', 'acme/chat-2'],
      keepResponses: false,
    })
    await store.directory.createWorkspace(workspace)
    expect(await store.directory.workspace(workspace.id)).toEqual({
      ...workspace,
      balance: nano(0n),
      held: nano(0n),
    })
    expect(await store.directory.workspace(ids.workspace())).toBeUndefined()
  })

  it('change only in what is named, null included, and never in their money', async () => {
    const store = given.store()
    const { workspaceId } = await createCustomer(store, 50n)
    await store.directory.updateWorkspace(workspaceId, {
      requestsPerMinute: 5,
      models: ['a'],
      keepResponses: false,
    })
    const after = await store.directory.updateWorkspace(workspaceId, {
      name: 'New',
      requestsPerMinute: null,
      models: null,
    })
    expect(after).toMatchObject({ name: 'New', requestsPerMinute: null, models: null, balance: 50n })
    expect(after?.keepResponses).toBe(false)
    expect(await store.directory.updateWorkspace(workspaceId, { keepResponses: true })).toEqual({
      ...after,
      keepResponses: true,
    } as typeof after)
    expect(await store.directory.updateWorkspace(workspaceId, {})).toMatchObject({
      name: 'New',
      keepResponses: true,
    })
    expect(await store.directory.updateWorkspace(ids.workspace(), { name: 'x' })).toBeUndefined()
  })

  it('a changed workspace keeps the requests that its minute has counted', async () => {
    const store = given.store()
    const customer = await createCustomer(store, 50n)
    await openCall(store, customer, 1n)
    await store.directory.updateWorkspace(customer.workspaceId, { name: 'Other' })
    const verdict = await store.till.admit({
      id: ids.request(),
      at: NOON,
      ...customer,
      limits: {
        workspacePerMinute: 1,
        keyPerMinute: null,
        keyPerDay: null,
        keyConcurrent: null,
        keyMonthlySpend: null,
      },
    })
    expect(verdict.kind).toBe('rate_limited')
  })
})

contract('lists of workspaces', (given, it) => {
  it('are newest first, page by page, and the last page has no cursor', async () => {
    const store = given.store()
    const created = Array.from({ length: 7 }, (_, i) => newWorkspace({ createdAt: NOON + (i >> 1) }))
    for (const workspace of created) await store.directory.createWorkspace(workspace)
    const seen: WorkspaceId[] = []
    const sizes: number[] = []
    let cursor: string | undefined
    do {
      const page = await store.directory.workspaces({ limit: 3, ...(cursor !== undefined && { cursor }) })
      seen.push(...page.items.map(({ id }) => id))
      sizes.push(page.items.length)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(sizes).toEqual([3, 3, 1])
    const newestFirst = created.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    expect(seen).toEqual(newestFirst.map(({ id }) => id))
  })

  it('a longer page than allowed is cut, never refused, and an unknown cursor is told', async () => {
    const store = given.store()
    for (let i = 0; i < 100; i++) await store.directory.createWorkspace(newWorkspace())
    const page = await store.directory.workspaces({ limit: 5_000 })
    expect(page.items.length).toBe(100)
    expect(page.nextCursor).toBe(page.items[99]?.id ?? '')
    const unknown = store.directory.workspaces({ limit: 5, cursor: 'ws_unknown' })
    expect(await rejectionOf(unknown)).toBeInstanceOf(UnknownCursor)
  })
})

contract('keys', (given, it) => {
  it('are read as they were created, and never with their secret or its hash', async () => {
    const store = given.store()
    const { workspaceId } = await createCustomer(store)
    const key = newKey(workspaceId, {
      requestsPerMinute: 1,
      requestsPerDay: 2,
      monthlySpend: nano(9_007_199_254_740_993n),
      concurrentRequests: 3,
      models: ['acme/chat-1'],
      expiresAt: NOON + 1,
    })
    const { secretHash, ...shown } = key
    const made = { ...shown, revokedAt: null, replacedBy: null, countersId: key.id }
    expect(await store.directory.createKey(key)).toEqual({ kind: 'made', made })
    expect(await store.directory.key(key.id)).toEqual(made)
    expect(JSON.stringify(await store.directory.key(key.id), (_, value) => String(value))).not.toContain(
      secretHash,
    )
    expect(await store.directory.key(ids.key())).toBeUndefined()
  })

  it('need a workspace that exists and a secret of their own', async () => {
    const store = given.store()
    const { workspaceId } = await createCustomer(store)
    expect(await store.directory.createKey(newKey(ids.workspace()))).toEqual({ kind: 'no_workspace' })
    const key = newKey(workspaceId)
    await store.directory.createKey(key)
    const twin = { ...newKey(workspaceId), secretHash: key.secretHash }
    expect(await rejectionOf(store.directory.createKey(twin))).toBeInstanceOf(Error)
  })

  it('are found by the hash of their secret with what admission needs of the workspace', async () => {
    const store = given.store()
    const workspace = newWorkspace({
      type: 'organization',
      requestsPerMinute: 9,
      models: ['m'],
      keepResponses: false,
    })
    await store.directory.createWorkspace(workspace)
    const key = newKey(workspace.id)
    await store.directory.createKey(key)
    const found = await store.directory.findKey(key.secretHash)
    const { id, name, type, requestsPerMinute, models, keepResponses } = workspace
    expect(found).toEqual({
      key: await store.directory.key(key.id).then(present),
      workspace: { id, name, type, requestsPerMinute, models, keepResponses },
    })
    expect(await store.directory.findKey('0'.repeat(64))).toBeUndefined()
  })

  it('change only in what is named', async () => {
    const store = given.store()
    const { workspaceId } = await createCustomer(store)
    const key = newKey(workspaceId, { requestsPerDay: 10 })
    await store.directory.createKey(key)
    const change = { name: 'server', monthlySpend: nano(5n), models: ['m'], concurrentRequests: 2 }
    const after = await store.directory.updateKey(key.id, change)
    expect(after).toMatchObject({ ...change, requestsPerDay: 10, hint: key.hint })
    expect(await store.directory.updateKey(key.id, { monthlySpend: null, expiresAt: NOON })).toMatchObject({
      monthlySpend: null,
      expiresAt: NOON,
      name: 'server',
    })
    expect(await store.directory.updateKey(key.id, {})).toMatchObject({ name: 'server' })
    expect(await store.directory.updateKey(ids.key(), { name: 'x' })).toBeUndefined()
  })

  it('are revoked once, for ever, and can still be found', async () => {
    const store = given.store()
    const { workspaceId } = await createCustomer(store)
    const key = newKey(workspaceId)
    await store.directory.createKey(key)
    expect(await store.directory.revokeKey(key.id, NOON + 1)).toMatchObject({ revokedAt: NOON + 1 })
    expect(await store.directory.revokeKey(key.id, NOON + 9)).toMatchObject({ revokedAt: NOON + 1 })
    expect((await store.directory.findKey(key.secretHash))?.key.revokedAt).toBe(NOON + 1)
    expect(await store.directory.revokeKey(ids.key(), NOON)).toBeUndefined()
  })

  it('of a workspace are listed newest first, and those of others are not', async () => {
    const store = given.store()
    const { workspaceId, keyId } = await createCustomer(store)
    await createCustomer(store)
    const newer = newKey(workspaceId, { createdAt: NOON + 1 })
    await store.directory.createKey(newer)
    const first = await store.directory.keys(workspaceId, { limit: 1 })
    expect(first).toMatchObject({ items: [{ id: newer.id }], nextCursor: newer.id })
    const second = await store.directory.keys(workspaceId, { limit: 1, cursor: newer.id })
    expect(second).toMatchObject({ items: [{ id: keyId }], nextCursor: undefined })
  })
})

contract('changes', (given, it) => {
  it('of keys and workspaces are heard at once in the same process, until one stops listening', async () => {
    const store = given.store()
    const { workspaceId, keyId } = await createCustomer(store)
    const heard: { key?: KeyId; workspace?: WorkspaceId }[] = []
    const stop = store.directory.onChange((change) => heard.push(change))
    await store.directory.updateKey(keyId, { name: 'x' })
    expect(heard.some(({ key }) => key === keyId)).toBe(true)
    await store.directory.updateWorkspace(workspaceId, { name: 'x' })
    expect(heard.some(({ key, workspace }) => key === undefined && workspace === workspaceId)).toBe(true)
    stop()
    const before = heard.length
    await store.directory.revokeKey(keyId, NOON)
    expect(heard.length).toBe(before)
  })

  it('made by another process are heard soon', async () => {
    const other = await given.database().open()
    const store = given.store()
    const customer = await createCustomer(store)
    const heard = hears(store, customer.keyId)
    await other.directory.revokeKey(customer.keyId, NOON)
    await heard
    const { promise: keepsNone, resolve } = Promise.withResolvers<void>()
    const stop = store.directory.onChange(({ workspace = customer.workspaceId }) => {
      if (workspace === customer.workspaceId) resolve()
    })
    await other.directory.updateWorkspace(customer.workspaceId, { keepResponses: false })
    await keepsNone
    stop()
    await other.close()
  })

  it('of money are none', async () => {
    const store = given.store()
    const other = await given.database().open()
    const quiet = await createCustomer(store)
    const heard: (WorkspaceId | undefined)[] = []
    const stop = store.directory.onChange(({ workspace }) => heard.push(workspace))
    // Whoever has heard of the newest change has heard of all before it.
    await hearsOfNewKey(store, other)
    heard.length = 0
    await store.books.credit(creditOf(quiet))
    await openCall(store, quiet, 1n)
    await hearsOfNewKey(store, other)
    stop()
    await other.close()
    expect(heard).not.toContain(quiet.workspaceId)
  })
})

/** Creates a key in the other store and resolves when this one has told of it. */
async function hearsOfNewKey(store: Store, other: Store): Promise<void> {
  const workspace = newWorkspace()
  const key = newKey(workspace.id)
  const heard = hears(store, key.id)
  await other.directory.createWorkspace(workspace)
  await other.directory.createKey(key)
  await heard
}

/** Resolves when the store tells that this key, or anything, has changed. */
function hears(store: Store, keyId: KeyId): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the change was not heard of')), HEARD_WITHIN_MS)
    const stop = store.directory.onChange(({ key, workspace }) => {
      if (key !== keyId && (key !== undefined || workspace !== undefined)) return
      clearTimeout(late)
      stop()
      resolve()
    })
  })
}

function present<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('it is not there')
  return thing
}
