import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCustomer, newKey } from '../../../test/contract/customer.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { GatewayError } from '../../core/error.ts'
import type { KeyId } from '../../core/id.ts'
import type { Directory } from '../../core/ports/directory.ts'
import type { Store } from '../../core/ports/store.ts'
import { openStore } from '../../store/open.ts'
import { KEY_CACHE_ENTRIES_MAX, createAuthenticator } from './authenticate.ts'

/** A change made in another process is in force after this long, even if its notification is lost. */
const STALE_MS_MAX = 900
const NOON = Date.UTC(2026, 10, 20, 12)

let folder: string
let store: Store
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-authenticate-'))
  const path = join(folder, 'tollgate.db')
  store = await openStore({ engine: 'sqlite', path, durability: 'default' }, { now: () => NOON })
})
afterAll(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

/** An authenticator that no change notification reaches, with a clock that stands still until it is moved. */
function deafAuthenticator(change: Partial<Directory> = {}) {
  const clock = { now: NOON }
  const lookUps: string[] = []
  const directory: Directory = {
    ...store.directory,
    ...change,
    findKey(secretHash) {
      lookUps.push(secretHash)
      return (change.findKey ?? store.directory.findKey)(secretHash)
    },
  }
  const authenticator = createAuthenticator({ directory, now: () => clock.now, hash: sha256 })
  return {
    clock,
    lookUps,
    forget: authenticator.forget,
    caller: (secret: string) =>
      authenticator.authenticate({ authorization: `Bearer ${secret}`, apiKey: null }),
    async refusal(secret: string): Promise<string | undefined> {
      const error = await rejectionOf(
        authenticator.authenticate({ authorization: `Bearer ${secret}`, apiKey: null }),
      )
      return error instanceof GatewayError ? error.refusal.code : undefined
    },
  }
}

function sha256(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}

let secrets = 0

function newSecret(): string {
  return `tg_secret${++secrets}`
}

/** Stores a key of a new workspace. */
async function storeKey(secret = newSecret(), expiresAt: number | null = null) {
  const { workspaceId } = await createCustomer(store)
  const key = newKey(workspaceId, { secretHash: sha256(secret), expiresAt })
  await store.directory.createKey(key)
  return { secret, keyId: key.id, workspaceId }
}

async function revoke(keyId: KeyId): Promise<void> {
  await store.directory.revokeKey(keyId, NOON)
}

describe('when no change notification arrives', () => {
  test('a revoked key stops working within 0.9 s', async () => {
    const { clock, caller, refusal } = deafAuthenticator()
    const { secret, keyId } = await storeKey()
    await caller(secret)
    await revoke(keyId)
    clock.now += STALE_MS_MAX
    expect(await refusal(secret)).toBe('invalid_api_key')
  })

  test('a revoked key stops working within 0.9 s although it is used all the time', async () => {
    const { clock, caller, refusal } = deafAuthenticator()
    const { secret, keyId } = await storeKey()
    await caller(secret)
    await revoke(keyId)
    for (let i = 1; i < 3; i++) {
      clock.now += STALE_MS_MAX / 3
      await caller(secret)
    }
    clock.now += STALE_MS_MAX / 3
    expect(await refusal(secret)).toBe('invalid_api_key')
  })

  test('a key that was unknown works within 0.9 s of its creation', async () => {
    const { clock, caller, refusal } = deafAuthenticator()
    const secret = newSecret()
    expect(await refusal(secret)).toBe('invalid_api_key')
    const { keyId } = await storeKey(secret)
    clock.now += STALE_MS_MAX
    expect((await caller(secret)).key.id).toBe(keyId)
  })

  test('the limits of a key and of its workspace change within 0.9 s', async () => {
    const { clock, caller } = deafAuthenticator()
    const { secret, keyId, workspaceId } = await storeKey()
    await caller(secret)
    await store.directory.updateKey(keyId, { requestsPerDay: 5 })
    await store.directory.updateWorkspace(workspaceId, { requestsPerMinute: 7 })
    clock.now += STALE_MS_MAX
    expect((await caller(secret)).limits).toMatchObject({ keyPerDay: 5, workspacePerMinute: 7 })
  })

  test('a key stops working at the moment it expires, though it was looked up just before', async () => {
    const { clock, caller, refusal, lookUps } = deafAuthenticator()
    const { secret } = await storeKey(undefined, NOON + 100)
    clock.now += 99
    await caller(secret)
    clock.now += 1
    expect(await refusal(secret)).toBe('invalid_api_key')
    expect(lookUps).toHaveLength(1)
  })
})

test('requests with one key within the life of its entry share one look-up', async () => {
  const { clock, caller, lookUps } = deafAuthenticator()
  const { secret } = await storeKey()
  await Promise.all([caller(secret), caller(secret)])
  clock.now += STALE_MS_MAX - 1
  await caller(secret)
  expect(lookUps).toEqual([sha256(secret)])
})

test('a change notification makes a revoked key stop working at once', async () => {
  const { caller, forget, refusal } = deafAuthenticator()
  const { secret, keyId } = await storeKey()
  await caller(secret)
  await revoke(keyId)
  forget()
  expect(await refusal(secret)).toBe('invalid_api_key')
})

test('a look-up that failed is not remembered, so the next request asks again', async () => {
  let outages = 1
  const { caller } = deafAuthenticator({
    findKey(secretHash) {
      return outages-- > 0 ? Promise.reject(new Error('away')) : store.directory.findKey(secretHash)
    },
  })
  const { secret, keyId } = await storeKey()
  expect(await rejectionOf(caller(secret))).toEqual(new Error('away'))
  expect((await caller(secret)).key.id).toBe(keyId)
})

test('strangers with more keys than are remembered push out the oldest entry only', async () => {
  const { refusal, lookUps } = deafAuthenticator({ findKey: () => Promise.resolve(undefined) })
  for (let i = 0; i <= KEY_CACHE_ENTRIES_MAX; i++) await refusal(`tg_stranger${i}`)
  await refusal('tg_stranger1')
  expect(lookUps).toHaveLength(KEY_CACHE_ENTRIES_MAX + 1)
  await refusal('tg_stranger0')
  expect(lookUps).toHaveLength(KEY_CACHE_ENTRIES_MAX + 2)
})
