import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdSource, type RequestId } from '../../core/id.ts'
import type { AuditEntry } from '../../core/ports/audit.ts'
import type { Store } from '../../core/ports/store.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { openSqliteStore } from '../../store/sqlite/openSqliteStore.ts'
import { type Door, type DoorDeps, createDoor } from './door.ts'
import { FORGIVEN_AFTER_MS, WRONG_TOKENS_MAX } from './guessPace.ts'
import { PLACES_PER_MINUTE } from './refusedTokens.ts'

const CONFIGURED = 'the token of the configuration'
const MINUTE = 60_000
const hash = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
const folder = mkdtempSync(join(tmpdir(), 'tollgate-door-'))
let clock = Date.UTC(2026, 10, 20, 12)
const ids = createIdSource(
  () => clock,
  (bytes) => crypto.getRandomValues(bytes),
)
let store: Store

beforeAll(async () => {
  store = await openSqliteStore({ path: join(folder, 'books.db'), durability: 'default', now: () => clock })
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

/** A door of an hour of its own, with what it told. */
function openDoor(change: Partial<DoorDeps> = {}): {
  door: Door
  told: (AuditEntry | undefined)[]
  since: number
} {
  clock += 60 * MINUTE
  const told: (AuditEntry | undefined)[] = []
  const door = createDoor({
    store,
    adminToken: () => CONFIGURED,
    canBeGuessed: () => true,
    now: () => clock,
    ids,
    hash,
    onRefused: (first) => told.push(first),
    onUse: () => undefined,
    ...change,
  })
  return { door, told, since: clock }
}

const enter = (door: Door, token: string | undefined, address: string | null = '203.0.113.7') =>
  door.enter({ token, address, requestId: 'req_1' as RequestId })

async function makeToken(name: string): Promise<{ token: string; id: AuditEntry['id'] | string }> {
  const token = ids.adminSecret()
  const id = ids.adminToken()
  await store.adminTokens.create({ id, name, hint: 'tga_…', secretHash: hash(token), createdAt: clock })
  return { token, id }
}

const refusedSince = async (from: number) =>
  (await store.audit.entries({ limit: 100, action: 'token.refuse', from })).items

test('the token of the configuration and one of the store open it, and say who comes', async () => {
  const { door } = openDoor()
  const { token, id } = await makeToken('ci')
  expect(await enter(door, CONFIGURED)).toEqual({ kind: 'admitted', actor: { kind: 'configuration' } })
  expect(await enter(door, token)).toEqual({
    kind: 'admitted',
    actor: { kind: 'token', id, name: 'ci' },
  } as never)
  expect(await enter(door, undefined)).toEqual({ kind: 'missing', none: false })
})

test('a revoked token is refused at once, and the log says whose it was', async () => {
  const { door, since } = openDoor()
  const { token, id } = await makeToken('old')
  expect(await enter(door, token)).toMatchObject({ kind: 'admitted' })
  await store.adminTokens.revoke(id as never, clock)
  expect(await enter(door, token)).toMatchObject({ kind: 'wrong' })
  await door.flush()
  expect(await refusedSince(since)).toMatchObject([
    { actor: { kind: 'token', id, name: 'old' }, subject: id, address: '203.0.113.7', count: 1 },
  ])
})

test('wrong tokens are slowed by address: some are looked at, the rest are not', async () => {
  const { door } = openDoor()
  const verdicts = await Promise.all(Array.from({ length: 200 }, (_, i) => enter(door, `tga_GUESS${i}`)))
  expect(verdicts.filter(({ kind }) => kind === 'wrong')).toHaveLength(WRONG_TOKENS_MAX)
  expect(await enter(door, CONFIGURED)).toEqual({ kind: 'slowed', waitMs: FORGIVEN_AFTER_MS })
  expect(await enter(door, CONFIGURED, '203.0.113.8')).toMatchObject({ kind: 'admitted' })
  clock += FORGIVEN_AFTER_MS
  expect(await enter(door, CONFIGURED)).toMatchObject({ kind: 'admitted' })
})

test('whoever was let in before is let in beside somebody who guesses from the same address', async () => {
  const { door } = openDoor()
  const { token } = await makeToken('office')
  for (const right of [CONFIGURED, token])
    expect(await enter(door, right)).toMatchObject({ kind: 'admitted' })
  for (let i = 0; i < 2 * WRONG_TOKENS_MAX; i++) await enter(door, `guess ${i}`)
  expect(await enter(door, 'one more')).toMatchObject({ kind: 'slowed' })
  for (const right of [CONFIGURED, token])
    expect(await enter(door, right)).toMatchObject({ kind: 'admitted' })
})

test('a named token that was never used from there is let in beside somebody who guesses, whatever the guesses look like', async () => {
  const { door } = openDoor()
  const { token } = await makeToken('fresh')
  for (let i = 0; i < 2 * WRONG_TOKENS_MAX; i++) await enter(door, ids.adminSecret())
  expect(await enter(door, ids.adminSecret())).toMatchObject({ kind: 'slowed' })
  expect(await enter(door, token)).toMatchObject({ kind: 'admitted' })
})

test('a token of the configuration that no one can guess is let in beside somebody who guesses, a short one waits', async () => {
  for (const guessable of [false, true]) {
    const { door } = openDoor({ canBeGuessed: () => guessable })
    for (let i = 0; i < 2 * WRONG_TOKENS_MAX; i++) await enter(door, `guess ${i}`)
    expect(await enter(door, 'one more')).toMatchObject({ kind: 'slowed' })
    expect(await enter(door, CONFIGURED)).toMatchObject({ kind: guessable ? 'slowed' : 'admitted' })
    expect(await enter(door, 'another')).toMatchObject({ kind: 'slowed' })
  }
})

test('different right tokens at once, from an address without a past, are all let in', async () => {
  const { door, told } = openDoor()
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => makeToken(`at once ${i}`)))
  const slow = createDoor({
    store: {
      ...store,
      adminTokens: {
        ...store.adminTokens,
        find: async (secretHash) => {
          await new Promise((later) => setImmediate(later))
          return store.adminTokens.find(secretHash)
        },
      },
    },
    adminToken: () => CONFIGURED,
    canBeGuessed: () => true,
    now: () => clock,
    ids,
    hash,
    onRefused: (first) => told.push(first),
    onUse: () => undefined,
  })
  const entrances = await Promise.all(tokens.map(({ token }) => enter(slow, token)))
  expect(entrances.filter(({ kind }) => kind !== 'admitted')).toEqual([])
  expect([await enter(door, CONFIGURED), told]).toMatchObject([{ kind: 'admitted' }, []])
})

test('a revoked token is named however many others guess in that minute', async () => {
  const { door, since } = openDoor()
  const { token, id } = await makeToken('hiding')
  await store.adminTokens.revoke(id as never, clock)
  for (let i = 0; i < 50; i++) await enter(door, 'guess', `203.0.113.${i}`)
  await enter(door, token, '198.51.100.77')
  await door.flush()
  const named = (await refusedSince(since)).filter(({ subject }) => subject === id)
  expect(named).toMatchObject([{ actor: { name: 'hiding' }, address: '198.51.100.77' }])
})

test('a burst of one right token, or a program that keeps sending an old one, slows nobody', async () => {
  const { door } = openDoor()
  const { token } = await makeToken('burst')
  const burst = await Promise.all(Array.from({ length: 100 }, () => enter(door, token)))
  expect(burst.filter(({ kind }) => kind === 'admitted')).toHaveLength(100)
  for (let i = 0; i < 100; i++) expect(await enter(door, 'an old token')).toMatchObject({ kind: 'wrong' })
  expect(await enter(door, CONFIGURED)).toMatchObject({ kind: 'admitted' })
})

test('wrong tokens of one address and minute are one entry with their number, told once', async () => {
  const { door, told, since } = openDoor()
  for (let i = 0; i < 25; i++) {
    if (i === 20) await door.flush()
    clock += 1_000
    await enter(door, `guess ${i}`, '::ffff:198.51.100.1')
  }
  await door.flush()
  const [entry, ...others] = await refusedSince(since)
  expect(others).toEqual([])
  expect(entry).toMatchObject({
    count: 25,
    at: since + 1_000,
    lastAt: since + 25_000,
    actor: { kind: 'unknown' },
  })
  expect(told.filter((first) => first !== undefined)).toHaveLength(1)
  expect(told).toHaveLength(25)
  clock += MINUTE
  await enter(door, 'another')
  await door.flush()
  expect(await refusedSince(since)).toHaveLength(2)
})

test('no entry holds a token or a part of one', async () => {
  const { door, since } = openDoor()
  const secret = ids.adminSecret()
  await enter(door, secret)
  await door.flush()
  expect(JSON.stringify(await refusedSince(since))).not.toContain(secret.slice(4, 10))
})

test('a thousand addresses make a bounded number of entries a minute, and none is uncounted', async () => {
  const { door, since } = openDoor()
  for (let i = 0; i < 1_000; i++) await enter(door, 'guess', `2001:db8:${i.toString(16)}::1`)
  await door.flush()
  const entries = await refusedSince(since)
  expect(entries).toHaveLength(PLACES_PER_MINUTE + 1)
  expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(1_000)
  expect(entries.filter(({ address }) => address === null)).toHaveLength(1)
})

test('what the store did not take is stored by the next time', async () => {
  let away = true
  const audit: Store['audit'] = {
    ...store.audit,
    keepRefusedTokens: (entries) =>
      away ? Promise.reject(new StoreUnavailable('away')) : store.audit.keepRefusedTokens(entries),
  }
  const { door, since } = openDoor({ store: { ...store, audit } })
  await enter(door, 'guess')
  expect(door.flush()).rejects.toThrow(StoreUnavailable)
  clock += 2 * MINUTE
  away = false
  await door.flush()
  expect(await refusedSince(since)).toMatchObject([{ count: 1 }])
})

test('the last use of a token is kept, with its address', async () => {
  const { door } = openDoor()
  const { token, id } = await makeToken('used')
  const lastUse = async () => {
    await door.flush()
    const found = await store.adminTokens.token(id as never)
    return [found?.lastUsedAt, found?.lastUsedFrom]
  }
  expect(await lastUse()).toEqual([null, null])
  await enter(door, token)
  const first = clock
  expect(await lastUse()).toEqual([first, '203.0.113.7'])
  clock += 10
  await enter(door, token)
  expect(await lastUse()).toEqual([first, '203.0.113.7'])
  await enter(door, token, '198.51.100.9')
  expect(await lastUse()).toEqual([clock, '198.51.100.9'])
})

test('each address that a token is used from is told of, once an hour: whoever still uses an old one is found', async () => {
  const used: unknown[] = []
  const { door } = openDoor({ onUse: (...use) => used.push(use) })
  const { token, id } = await makeToken('two machines')
  const named = { kind: 'token', id, name: 'two machines' }
  for (let i = 0; i < 3; i++) {
    for (const address of ['203.0.113.7', '198.51.100.9']) {
      await enter(door, token, address)
      await enter(door, CONFIGURED, address)
    }
  }
  const configuration = { kind: 'configuration' }
  const once = [
    [named, '203.0.113.7'],
    [configuration, '203.0.113.7'],
    [named, '198.51.100.9'],
    [configuration, '198.51.100.9'],
  ]
  expect(used).toEqual(once)
  clock += 60 * MINUTE
  await enter(door, token)
  await enter(door, 'wrong')
  expect(used).toEqual([...once, [named, '203.0.113.7']])
})

test('whoever brings no good token is told how to make one only while there is none, and the store is not asked each time', async () => {
  let asked = 0
  let tokens: object[] | Error = []
  const list = () => {
    asked++
    return tokens instanceof Error
      ? Promise.reject(tokens)
      : Promise.resolve({ items: tokens, nextCursor: null })
  }
  const { door } = openDoor({
    adminToken: () => undefined,
    store: { ...store, adminTokens: { ...store.adminTokens, tokens: list as never } },
  })
  for (let i = 0; i < 3; i++) expect(await enter(door, undefined)).toEqual({ kind: 'missing', none: true })
  expect(asked).toBe(1)
  clock += MINUTE
  tokens = new StoreUnavailable('away')
  expect(await enter(door, 'wrong')).toEqual({ kind: 'wrong', none: false })
  clock += MINUTE
  tokens = [{}]
  for (let i = 0; i < 3; i++) expect(await enter(door, 'wrong')).toEqual({ kind: 'wrong', none: false })
  expect(asked).toBe(3)
})

test('wrong tokens from several addresses of one network are shown as of the network', async () => {
  const { door, since } = openDoor()
  await enter(door, 'a', '2001:db8:1:1::1')
  await door.flush()
  expect((await refusedSince(since))[0]).toMatchObject({ address: '2001:db8:1:1::1', count: 1 })
  await enter(door, 'b', '2001:db8:1:1::2')
  await door.flush()
  expect(await refusedSince(since)).toMatchObject([{ address: '2001:db8:1:1::/64', count: 2 }])
})

test('an empty token in the configuration opens nothing, and a changed one is in force at once', async () => {
  let configured: string | undefined = ''
  const { door } = openDoor({ adminToken: () => configured })
  expect(await enter(door, '')).toEqual({ kind: 'wrong', none: false })
  expect(await enter(door, 'next')).toEqual({ kind: 'wrong', none: false })
  configured = 'next'
  expect(await enter(door, 'next')).toMatchObject({ kind: 'admitted' })
})
