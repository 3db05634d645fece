import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  ADMIN_TOKEN,
  type AdminWorld,
  NOON,
  createAdminWorld,
  readJson,
} from '../../../test/support/adminWorld.ts'
import { createBlockedProvider, openCircuit } from '../../../test/support/blockedProvider.ts'
import type { AuditEntry } from '../../core/ports/audit.ts'
import { createLocalOperations } from '../../operations/localOperations.ts'
import { ADMIN_PATH, adminEndpoints } from './endpoints.ts'

const ADMIN = ADMIN_PATH
const told: AuditEntry[] = []
const acme = createBlockedProvider()
let world: AdminWorld
let workspace: { id: string }
let key: { id: string; key: string }

beforeAll(async () => {
  world = await createAdminWorld({ ...acme.deps, onChange: (entry) => told.push(entry) })
})
afterAll(() => world.close())
beforeEach(async () => {
  world.clock += 1_000
  workspace = await world.ask('POST', `${ADMIN}/workspaces`, { name: 'Blue', type: 'personal' })
  world.clock += 1_000
  key = await world.ask('POST', `${ADMIN}/workspaces/${workspace.id}/keys`, { name: 'ci' })
  told.length = 0
})

const auditOf = async (filters: Record<string, string>) =>
  (await world.ask('GET', `${ADMIN}/audit?${String(new URLSearchParams(filters))}`)).data
const newToken = (name: string) => world.ask('POST', `${ADMIN}/tokens`, { name })
const bearing = (token: string) => ({ Authorization: `Bearer ${token}` })

describe('every change', () => {
  /** What each changing endpoint is asked for, and what its entry must say. */
  function changes(tokenId: string): Record<string, { path: string; body?: object; entry: object }> {
    return {
      'post /workspaces': {
        path: '/workspaces',
        body: { name: 'Red', type: 'organization', models: ['acme/chat-1'] },
        entry: {
          action: 'workspace.create',
          workspace_id: expect.stringMatching(/^ws_/),
          changes: {
            name: { before: null, after: 'Red' },
            type: { before: null, after: 'organization' },
            models: { before: null, after: ['acme/chat-1'] },
            keep_responses: { before: null, after: true },
          },
        },
      },
      'patch /workspaces/{id}': {
        path: `/workspaces/${workspace.id}`,
        body: { name: 'Green', requests_per_minute: 7, type: 'personal', keep_responses: false },
        entry: {
          action: 'workspace.update',
          workspace_id: workspace.id,
          subject: workspace.id,
          changes: {
            name: { before: 'Blue', after: 'Green' },
            requests_per_minute: { before: null, after: 7 },
            keep_responses: { before: true, after: false },
          },
        },
      },
      'post /workspaces/{id}/credits': {
        path: `/workspaces/${workspace.id}/credits`,
        body: { amount_usd: '5000', note: 'for Acme' },
        entry: {
          action: 'workspace.credit',
          workspace_id: workspace.id,
          subject: expect.stringMatching(/^tr_/),
          changes: {
            kind: { before: null, after: 'topup' },
            amount_usd: { before: null, after: '5000.00' },
            balance_usd: { before: '0.00', after: '5000.00' },
            note: { before: null, after: 'for Acme' },
          },
        },
      },
      'post /workspaces/{id}/keys': {
        path: `/workspaces/${workspace.id}/keys`,
        body: { name: 'new', monthly_spend_usd: '20' },
        entry: { action: 'key.create', workspace_id: workspace.id, subject: expect.stringMatching(/^key_/) },
      },
      'patch /keys/{id}': {
        path: `/keys/${key.id}`,
        body: { requests_per_day: 1_000, name: 'ci' },
        entry: {
          action: 'key.update',
          workspace_id: workspace.id,
          subject: key.id,
          changes: { requests_per_day: { before: null, after: 1_000 } },
        },
      },
      'post /keys/{id}/rotate': {
        path: `/keys/${key.id}/rotate`,
        body: { overlap_seconds: 60 },
        entry: {
          action: 'key.rotate',
          subject: key.id,
          changes: {
            replaced_by: { before: null, after: expect.stringMatching(/^key_/) },
            expires_at: { before: null, after: expect.any(Number) },
          },
        },
      },
      'delete /keys/{id}': {
        path: `/keys/${key.id}`,
        entry: {
          action: 'key.revoke',
          subject: key.id,
          changes: {
            status: { before: 'active', after: 'revoked' },
            revoked_at: { before: null, after: expect.any(Number) },
          },
        },
      },
      'post /providers/{id}/release': {
        path: '/providers/acme/release',
        body: { workspace_id: workspace.id },
        entry: { action: 'provider.release', workspace_id: workspace.id, subject: 'acme' },
      },
      'post /tokens': {
        path: '/tokens',
        body: { name: `token ${world.clock}` },
        entry: { action: 'token.create', workspace_id: null, subject: expect.stringMatching(/^token_/) },
      },
      'delete /tokens/{id}': {
        path: `/tokens/${tokenId}`,
        entry: { action: 'token.revoke', workspace_id: null, subject: tokenId },
      },
    }
  }

  const changing = () =>
    adminEndpoints(createLocalOperations(world.deps))
      .map(({ route }) => `${route.method} ${route.path.slice(ADMIN.length)}`)
      .filter((name) => !name.startsWith('get '))

  test('of every endpoint is in the audit log: who, what, before and after, from where', async () => {
    const { id: tokenId } = await newToken('to revoke')
    const { id: carrierId, token } = await newToken('carrier')
    acme.blocks = [openCircuit(workspace.id, world.clock + 10_000)]
    const all = changes(tokenId)
    expect(Object.keys(all).toSorted()).toEqual(changing().toSorted())
    for (const [name, { path, body, entry }] of Object.entries(all)) {
      told.length = 0
      const method = name.split(' ')[0]?.toUpperCase() ?? ''
      const response = await world.call(method, ADMIN + path, body, bearing(token))
      expect(response.status).toBeLessThan(300)
      const [newest] = await auditOf({ actor: 'carrier', limit: '1' })
      expect(newest).toMatchObject({
        actor: { kind: 'token', id: carrierId, name: 'carrier' },
        address: '203.0.113.7',
        request_id: response.headers.get('x-request-id'),
        count: 1,
        created: world.clock / 1000,
        ...entry,
      })
      // And whoever writes the log heard of the same.
      expect(told.map(({ id }) => id)).toEqual([newest.id])
      expect(await world.ask('GET', `${ADMIN}/audit/${newest.id}`)).toEqual(newest)
      world.clock += 1_000
    }
  })

  test('takes no secret for a name or a note', async () => {
    const secret = key.key
    for (const [method, path, body] of [
      ['PATCH', `/workspaces/${workspace.id}`, { name: `Blue ${secret}` }],
      ['PATCH', `/keys/${key.id}`, { name: secret }],
      ['POST', `/workspaces/${workspace.id}/credits`, { amount_usd: '1', note: `to ${secret}` }],
    ] as const) {
      const response = await world.call(method, ADMIN + path, body)
      expect(response.status).toBe(400)
      expect(await response.text()).not.toContain(secret)
    }
  })

  test('leaves no secret behind: neither a key, nor a token, nor a hash', async () => {
    const { token } = await newToken('secretive')
    const rotated = await world.ask('POST', `${ADMIN}/keys/${key.id}/rotate`, {}, bearing(token))
    const entries = JSON.stringify(await auditOf({ limit: '100' }))
    for (const secret of [token, key.key, rotated.key, ADMIN_TOKEN]) {
      expect(entries).not.toContain(secret)
      expect(entries).not.toContain(world.deps.hash(secret))
    }
  })

  test('that is repeated under its Idempotency-Key has one entry', async () => {
    const headers = { 'Idempotency-Key': `once-${world.clock}` }
    for (const [path, body] of [
      ['/workspaces', { name: 'Once', type: 'personal' }],
      [`/workspaces/${workspace.id}/keys`, { name: 'once' }],
      [`/workspaces/${workspace.id}/credits`, { amount_usd: '1' }],
      [`/keys/${key.id}/rotate`, {}],
      ['/tokens', { name: `once ${world.clock}` }],
    ] as const) {
      told.length = 0
      const answers = [1, 2, 3].map(() => world.ask('POST', ADMIN + path, body, headers))
      const [first, ...others] = await Promise.all(answers)
      for (const other of others) expect(other).toEqual(first)
      expect(told).toHaveLength(1)
    }
  })

  test('that changes nothing, or is refused, has none', async () => {
    await world.call('DELETE', `${ADMIN}/keys/${key.id}`)
    told.length = 0
    await world.call('DELETE', `${ADMIN}/keys/${key.id}`)
    await world.call('PATCH', `${ADMIN}/workspaces/${workspace.id}`, { name: 'Blue' })
    await world.call('PATCH', `${ADMIN}/workspaces/${workspace.id}`, {})
    await world.call('PATCH', `${ADMIN}/workspaces/ws_nobody`, { name: 'x' })
    await world.call('POST', `${ADMIN}/workspaces/${workspace.id}/credits`, { amount_usd: '-5' })
    await world.call('POST', `${ADMIN}/keys/${key.id}/rotate`, {})
    expect(told).toEqual([])
    expect(await auditOf({ subject: workspace.id, action: 'workspace.update' })).toEqual([])
  })
})

describe('the audit log', () => {
  test('is asked by time, action, actor, workspace and subject, and what names nothing is an error', async () => {
    world.clock += 1_000
    await world.call('PATCH', `${ADMIN}/keys/${key.id}`, { name: 'renamed' })
    const actions = async (filters: Record<string, string>) =>
      (await auditOf(filters)).map(({ action }: { action: string }) => action)
    expect(await actions({ workspace_id: workspace.id })).toEqual([
      'key.update',
      'key.create',
      'workspace.create',
    ])
    expect(await actions({ subject: key.id })).toEqual(['key.update', 'key.create'])
    expect(await actions({ workspace_id: workspace.id, action: 'key.create' })).toEqual(['key.create'])
    expect(await actions({ subject: key.id, actor: 'configuration' })).toHaveLength(2)
    expect(await actions({ subject: key.id, actor_kind: 'configuration' })).toHaveLength(2)
    expect(await actions({ subject: key.id, actor_kind: 'token' })).toEqual([])
    expect(await actions({ subject: 'key_of_before_the_audit_log' })).toEqual([])
    expect(await actions({ subject: key.id, to: new Date(world.clock).toISOString() })).toEqual([
      'key.create',
    ])
    for (const [query, param] of [
      ['action=key.make', 'action'],
      ['workspace_id=ws_nobody', null],
      ['from=yesterday', 'from'],
      ['from=2026-11-21&to=2026-11-20', 'to'],
      ['cursor=audit_1', 'cursor'],
      ['who=me', 'who'],
      ['actor=configuraton', 'actor'],
      ['actor=token_01', 'actor'],
      ['actor_kind=person', 'actor_kind'],
      ['subject=Acme', 'subject'],
    ] as const) {
      const response = await world.call('GET', `${ADMIN}/audit?${query}`)
      expect([response.status, (await readJson(response)).error.param]).toEqual([
        param === null ? 404 : 400,
        param,
      ])
    }
    expect((await world.call('GET', `${ADMIN}/audit/audit_nothing`)).status).toBe(404)
  })
})

test('the audit log is asked by the name or the id of a token, also of one that has done nothing', async () => {
  const made = []
  for (const name of ['carol', 'carol']) {
    const { id, token } = await world.ask('POST', `${ADMIN}/tokens`, { name })
    await world.call('POST', `${ADMIN}/workspaces`, { name: 'Red', type: 'personal' }, bearing(token))
    await world.call('DELETE', `${ADMIN}/tokens/${id}`)
    made.push(id)
  }
  const { id: idle } = await world.ask('POST', `${ADMIN}/tokens`, { name: 'idle' })
  expect(await auditOf({ actor: 'carol' })).toHaveLength(2)
  for (const id of made) {
    expect(await auditOf({ actor: id })).toMatchObject([{ actor: { kind: 'token', id, name: 'carol' } }])
  }
  for (const actor of ['idle', idle]) expect(await auditOf({ actor })).toEqual([])
})

test('the audit log of a key has the rotation that made it', async () => {
  const rotate = async (id: string) => {
    world.clock += 1_000
    return (await world.ask('POST', `${ADMIN}/keys/${id}/rotate`)).id
  }
  const second = await rotate(key.id)
  const third = await rotate(second)
  const subjects = async (subject: string) =>
    (await auditOf({ subject })).map((entry: AuditEntry) => [entry.action, entry.subject])
  expect(await subjects(third)).toEqual([['key.rotate', second]])
  expect(await subjects(second)).toEqual([
    ['key.rotate', second],
    ['key.rotate', key.id],
  ])
  expect(await subjects(key.id)).toEqual([
    ['key.rotate', key.id],
    ['key.create', key.id],
  ])
})

describe('named admin tokens', () => {
  test('are shown once, listed without themselves, and open the admin API until they are revoked', async () => {
    const made = await newToken('deploy')
    expect(made).toEqual({
      id: expect.stringMatching(/^token_[0-9A-Z]{26}$/),
      name: 'deploy',
      hint: `${made.token.slice(0, 8)}…`,
      status: 'active',
      last_used_at: null,
      last_used_from: null,
      revoked_at: null,
      created: Math.floor(world.clock / 1000),
      token: expect.stringMatching(/^tga_[0-9A-Z]{52}$/),
    })
    const asToken = () => world.call('GET', `${ADMIN}/tokens?limit=1`, undefined, bearing(made.token))
    expect((await asToken()).status).toBe(200)
    await world.deps.door.flush()
    const { token, ...shown } = made
    const used = { ...shown, last_used_at: shown.created, last_used_from: '203.0.113.7' }
    expect((await readJson(await asToken())).data).toEqual([used])
    const revoked = await world.ask('DELETE', `${ADMIN}/tokens/${made.id}`, undefined, bearing(token))
    expect(revoked).toMatchObject({ id: made.id, status: 'revoked' })
    expect((await asToken()).status).toBe(401)
    expect((await world.call('DELETE', `${ADMIN}/tokens/${made.id}`)).status).toBe(200)
  })

  test('let a token be changed while both are in force: no call is refused in between', async () => {
    const old = await newToken('rolling 1')
    const next = await world.ask('POST', `${ADMIN}/tokens`, { name: 'rolling 2' }, bearing(old.token))
    for (const { token } of [old, next])
      expect((await world.call('GET', `${ADMIN}/workspaces`, undefined, bearing(token))).status).toBe(200)
    await world.call('DELETE', `${ADMIN}/tokens/${old.id}`, undefined, bearing(next.token))
    expect((await world.call('GET', `${ADMIN}/workspaces`, undefined, bearing(old.token))).status).toBe(401)
    expect((await world.call('GET', `${ADMIN}/workspaces`, undefined, bearing(next.token))).status).toBe(200)
  })

  test('that are revoked while the body of a request comes change nothing any more', async () => {
    for (const [name, path, body] of [
      ['thief of tokens', '/tokens', '{"name": "of a thief"}'],
      ['thief of credits', `/workspaces/${workspace.id}/credits`, '{"amount_usd": "1000"}'],
    ] as const) {
      const thief = await newToken(name)
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const asked = world.fetch(
        new Request(`http://127.0.0.1${ADMIN}${path}`, {
          method: 'POST',
          headers: bearing(thief.token),
          body: readable,
        }),
        { address: '203.0.113.66' },
      )
      const writer = writable.getWriter()
      await writer.write(Buffer.from(body.slice(0, 3)))
      await world.call('DELETE', `${ADMIN}/tokens/${thief.id}`)
      await writer.write(Buffer.from(body.slice(3)))
      await writer.close()
      expect((await asked).status).toBe(401)
      expect(
        await auditOf({
          actor: name,
          action: path === '/tokens' ? 'token.create' : 'workspace.credit',
        }),
      ).toEqual([])
    }
  })

  test('have one name each, and a refusal says who has it', async () => {
    const { id } = await newToken('taken')
    const response = await world.call('POST', `${ADMIN}/tokens`, { name: 'taken' })
    const { error } = await readJson(response)
    expect([response.status, error.param]).toEqual([400, 'name'])
    expect(error.message).toContain(id)
    for (const body of [
      {},
      { name: 'TAKEN' },
      { name: 't\u0430ken' },
      { name: 'a/b' },
      { name: 'a\tb' },
      { name: '' },
      { name: 'Unknown' },
      { name: `for ${world.deps.ids.adminSecret()}` },
      { name: 'a\u202eb' },
      { name: 'x', token: 'mine' },
    ])
      expect((await world.call('POST', `${ADMIN}/tokens`, body)).status).toBe(400)
  })

  test('given in the place of an id are not repeated', async () => {
    const { token } = await newToken('pasted')
    for (const path of [`/tokens/${token}`, `/keys/${token}`, `/workspaces/${token}`]) {
      const response = await world.call('DELETE', ADMIN + path)
      expect(await response.text()).not.toContain(token)
    }
  })

  test('do not open the data plane, nor does a key open the admin API', async () => {
    expect((await world.call('GET', `${ADMIN}/tokens`, undefined, bearing(key.key))).status).toBe(401)
  })
})

test('too many wrong tokens are 429 with the seconds to wait', async () => {
  const own = await createAdminWorld()
  const statuses: number[] = []
  for (let i = 0; i < 12; i++)
    statuses.push((await own.call('GET', `${ADMIN}/workspaces`, undefined, bearing(`guess-${i}`))).status)
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
  const response = await own.call('GET', `${ADMIN}/nothing`)
  const { error } = await readJson(response)
  expect([response.status, error.code, response.headers.get('retry-after')]).toEqual([
    429,
    'rate_limit_exceeded',
    '6',
  ])
  expect(error.message).toContain('6 s')
  await own.deps.door.flush()
  own.clock = NOON + 60_000
  const { data } = await own.ask('GET', `${ADMIN}/audit`)
  expect(data).toMatchObject([{ action: 'token.refuse', count: 13, address: '203.0.113.7' }])
  await own.close()
})
