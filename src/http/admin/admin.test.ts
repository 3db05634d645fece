import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { assert, asyncProperty, constantFrom, dictionary, jsonValue, oneof } from 'fast-check'
import {
  ADMIN_TOKEN,
  type AdminWorld,
  createAdminWorld,
  MODELS,
  NOON,
  sha256,
  readJson,
} from '../../../test/support/adminWorld.ts'
import { FORGIVEN_AFTER_MS } from '../../operations/door/guessPace.ts'
import { modelView } from '../../operations/model.ts'

const ADMIN = '/api/v1/admin'
const NOON_SECONDS = NOON / 1000
let world: AdminWorld

beforeAll(async () => {
  world = await createAdminWorld()
})
afterAll(() => world.close())
beforeEach(() => {
  world.clock = NOON
})

const newWorkspace = (change: object = {}) =>
  world.ask('POST', `${ADMIN}/workspaces`, { name: 'Team Blue', type: 'personal', ...change })

const newKey = async (change: object = {}) => {
  const workspace = await newWorkspace()
  return world.ask('POST', `${ADMIN}/workspaces/${workspace.id}/keys`, { name: 'ci', ...change })
}

const credit = (workspace: { id: string }, body: object, headers: Record<string, string> = {}) =>
  world.call('POST', `${ADMIN}/workspaces/${workspace.id}/credits`, body, headers)

async function refusal(response: Response | Promise<Response>) {
  const { status } = await response
  const { error } = await readJson(await response)
  return { status, code: error.code, param: error.param, message: error.message }
}

describe('the door', () => {
  const bodyThatMustNotBeRead = '{"name":'

  test('a call without a token is told so before its body is looked at', async () => {
    const response = await world.call('POST', `${ADMIN}/workspaces`, bodyThatMustNotBeRead, {
      Authorization: '',
    })
    expect(response.headers.get('www-authenticate')).toContain('Bearer')
    expect(await refusal(response)).toMatchObject({ status: 401, code: 'missing_api_key', param: null })
  })

  test('a wrong token, a prefix of the token and a key are all refused alike', async () => {
    for (const token of ['wrong', ADMIN_TOKEN.slice(0, -1), `${ADMIN_TOKEN}x`, world.deps.ids.secret()]) {
      const headers = { Authorization: `Bearer ${token}` }
      const response = world.call('POST', `${ADMIN}/workspaces`, bodyThatMustNotBeRead, headers)
      expect(await refusal(response)).toMatchObject({ status: 401, code: 'invalid_api_key' })
    }
  })

  test('no token of the right length but the right one opens it', async () => {
    const own = await createAdminWorld()
    for (let i = 0; i < 200; i++) {
      // As slowly as tokens may be tried.
      own.clock += FORGIVEN_AFTER_MS
      const token = String(i).padStart(ADMIN_TOKEN.length, 'x')
      const { status } = await own.call('GET', `${ADMIN}/models`, undefined, {
        Authorization: `Bearer ${token}`,
      })
      expect(status).toBe(401)
    }
    await own.close()
  })

  test('an unknown path asks for the token first, and is 404 with it', async () => {
    const stranger = world.call('GET', `${ADMIN}/nothing`, undefined, { Authorization: '' })
    expect(await refusal(stranger)).toMatchObject({ status: 401 })
    expect(await refusal(world.call('GET', `${ADMIN}/nothing`))).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  })

  test('without any token everything is refused, with the ways to have one', async () => {
    const closed = await createAdminWorld({ adminToken: () => undefined })
    for (const authorization of ['', 'Bearer undefined', `Bearer ${ADMIN_TOKEN}`]) {
      const headers = { Authorization: authorization }
      const refused = await refusal(closed.call('GET', `${ADMIN}/workspaces`, undefined, headers))
      expect(refused).toMatchObject({
        status: 401,
        code: authorization === '' ? 'missing_api_key' : 'invalid_api_key',
      })
      expect(refused.message).toContain('TOLLGATE_ADMIN_TOKEN')
      expect(refused.message).toContain('tollgate token create')
    }
    await closed.close()
  })

  test('an empty token in the configuration opens nothing', async () => {
    const closed = await createAdminWorld({ adminToken: () => '' })
    const response = closed.call('GET', `${ADMIN}/workspaces`, undefined, { Authorization: 'Bearer ' })
    expect(await refusal(response)).toMatchObject({ status: 401 })
    await closed.close()
  })

  test('a body above the bound is 413 even when it does not say how long it is', async () => {
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(65_536))),
    })
    const { createApp } = await import('../app.ts')
    const response = await createApp(world.deps).fetch(
      new Request(`http://127.0.0.1${ADMIN}/workspaces`, {
        method: 'POST',
        body: stream,
        headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
      }),
    )
    expect(await refusal(response)).toMatchObject({ status: 413, code: 'request_too_large' })
  })

  test('answers are not kept by caches', async () => {
    const response = await world.call('GET', `${ADMIN}/workspaces`)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })
})

describe('workspaces', () => {
  test('creating one gives every field', async () => {
    const response = await world.call('POST', `${ADMIN}/workspaces`, {
      name: '  Team Blue ',
      type: 'organization',
      requests_per_minute: 300,
      models: ['acme/chat-1'],
      keep_responses: false,
    })
    expect(response.status).toBe(201)
    expect(await readJson(response)).toEqual({
      id: expect.stringMatching(/^ws_[0-9A-Z]{26}$/),
      name: 'Team Blue',
      type: 'organization',
      requests_per_minute: 300,
      models: ['acme/chat-1'],
      keep_responses: false,
      balance_usd: '0.00',
      held_usd: '0.00',
      created: NOON_SECONDS,
    })
  })

  test('what is shown is what was created', async () => {
    const created = await newWorkspace({ models: null })
    expect(created).toMatchObject({ requests_per_minute: null, models: null, keep_responses: true })
    expect(await world.ask('GET', `${ADMIN}/workspaces/${created.id}`)).toEqual(created)
  })

  test('a change touches only what it names; null takes an override away', async () => {
    const { id } = await newWorkspace({ requests_per_minute: 10, models: ['acme/chat-1'] })
    const path = `${ADMIN}/workspaces/${id}`
    expect(await world.ask('PATCH', path, { name: 'New' })).toMatchObject({
      name: 'New',
      requests_per_minute: 10,
    })
    expect(await world.ask('PATCH', path, { requests_per_minute: null, type: 'organization' })).toMatchObject(
      {
        name: 'New',
        type: 'organization',
        requests_per_minute: null,
        models: ['acme/chat-1'],
      },
    )
    expect(await world.ask('PATCH', path, { models: [] })).toMatchObject({ models: [], keep_responses: true })
    expect(await world.ask('PATCH', path, { keep_responses: false })).toMatchObject({ keep_responses: false })
    expect(await world.ask('PATCH', path, {})).toMatchObject({
      name: 'New',
      models: [],
      keep_responses: false,
    })
  })

  test.each([
    [{ type: 'personal' }, 'name'],
    [{ name: '', type: 'personal' }, 'name'],
    [{ name: '   ', type: 'personal' }, 'name'],
    [{ name: 7, type: 'personal' }, 'name'],
    [{ name: 'x'.repeat(201), type: 'personal' }, 'name'],
    [{ name: 'x' }, 'type'],
    [{ name: 'x', type: 'corporate' }, 'type'],
    [{ name: 'x', type: 'personal', requests_per_minute: 0 }, 'requests_per_minute'],
    [{ name: 'x', type: 'personal', requests_per_minute: 1.5 }, 'requests_per_minute'],
    [{ name: 'x', type: 'personal', requests_per_minute: '60' }, 'requests_per_minute'],
    [{ name: 'x', type: 'personal', keep_responses: 'off' }, 'keep_responses'],
    [{ name: 'x', type: 'personal', keep_responses: null }, 'keep_responses'],
    [{ name: 'x', type: 'personal', models: 'acme/chat-1' }, 'models'],
    [{ name: 'x', type: 'personal', models: ['a', 5] }, 'models[1]'],
    [{ name: 'x', type: 'personal', requests_per_minut: 60 }, 'requests_per_minut'],
    [{ name: 'x', type: 'personal', balance_usd: '100' }, 'balance_usd'],
  ])('%j is refused and %s is named', async (body, param) => {
    const refused = await refusal(world.call('POST', `${ADMIN}/workspaces`, body))
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request', param })
    expect(refused.message).toStartWith(`${param}: `)
  })

  test.each([['{"name":'], ['[]'], ['"text"'], ['7'], ['null']])('the body %s is refused', async (body) => {
    expect(await refusal(world.call('POST', `${ADMIN}/workspaces`, body))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      param: null,
    })
  })

  test('every path below an unknown workspace is 404 and names it', async () => {
    const calls = [
      world.call('GET', `${ADMIN}/workspaces/ws_nobody`),
      world.call('PATCH', `${ADMIN}/workspaces/ws_nobody`, { name: 'x' }),
      world.call('POST', `${ADMIN}/workspaces/ws_nobody/keys`, { name: 'x' }),
      world.call('GET', `${ADMIN}/workspaces/ws_nobody/keys`),
      world.call('POST', `${ADMIN}/workspaces/ws_nobody/credits`, { amount_usd: '1' }),
      world.call('GET', `${ADMIN}/workspaces/ws_nobody/ledger`),
    ]
    for (const call of calls) {
      const refused = await refusal(call)
      expect(refused).toMatchObject({ status: 404, code: 'not_found', param: null })
      expect(refused.message).toContain('ws_nobody')
    }
  })
})

describe('whatever is sent', () => {
  test('is taken or refused with a status of its own, never with a failure of ours', async () => {
    const { id: workspace } = await newWorkspace()
    const { id: key } = await newKey()
    const paths = [
      ['POST', `${ADMIN}/workspaces`],
      ['PATCH', `${ADMIN}/workspaces/${workspace}`],
      ['POST', `${ADMIN}/workspaces/${workspace}/keys`],
      ['POST', `${ADMIN}/workspaces/${workspace}/credits`],
      ['PATCH', `${ADMIN}/keys/${key}`],
      ['POST', `${ADMIN}/keys/${key}/rotate`],
    ] as const
    const names = ['name', 'type', 'models', 'amount_usd', 'note', 'kind', 'expires_at', 'monthly_spend_usd']
    const value = oneof(
      jsonValue(),
      constantFrom('1', 'personal', '-0.1', 1e9, 2 ** 53, '\0', '\ud800', 'x\0y'),
    )
    const body = oneof(jsonValue(), dictionary(constantFrom(...names, 'overlap_seconds', '__proto__'), value))
    await assert(
      asyncProperty(constantFrom(...paths), body, async ([method, path], sent) => {
        const { status } = await world.call(method, path, JSON.stringify(sent))
        return [200, 201, 400, 402, 409].includes(status)
      }),
    )
    expect(world.reported).toEqual([])
  })

  test.each([['%00'], ['%ff'], ['a%20b'], ['..'], ["'%20or%201=1"], ['x'.repeat(5000)], ['__proto__']])(
    'an id %s names nothing',
    async (id) => {
      for (const path of [
        `workspaces/${id}/keys`,
        `keys/${id}`,
        `requests/${id}`,
        `workspaces/${id}/ledger`,
      ]) {
        expect((await world.call('GET', `${ADMIN}/${path}`)).status).toBe(404)
      }
      expect(world.reported).toEqual([])
    },
  )

  test('a filter with a NUL is refused, not asked of the store', async () => {
    for (const query of ['usage?model=%00', 'usage?workspace_id=%00', 'requests?key_id=a%00']) {
      expect(await refusal(world.call('GET', `${ADMIN}/${query}`))).toMatchObject({ status: 400 })
    }
  })
})

describe('paging', () => {
  test('walks the whole list once, newest first, and ends with null', async () => {
    const own = await createAdminWorld()
    const created: string[] = []
    for (let i = 0; i < 7; i++) {
      own.clock = NOON + i * 1000
      created.push((await own.ask('POST', `${ADMIN}/workspaces`, { name: `w${i}`, type: 'personal' })).id)
    }
    const seen: string[] = []
    let cursor = ''
    for (let pages = 0; ; pages++) {
      expect(pages).toBeLessThan(4)
      const page = await own.ask('GET', `${ADMIN}/workspaces?limit=3${cursor}`)
      seen.push(...page.data.map(({ id }: { id: string }) => id))
      if (page.next_cursor === null) break
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
    }
    expect(seen).toEqual(created.reverse())
    await own.close()
  })

  test('gives 20 unless asked, at most 100, and never refuses a larger limit', async () => {
    const own = await createAdminWorld()
    for (let i = 0; i < 101; i++)
      await own.ask('POST', `${ADMIN}/workspaces`, { name: `w${i}`, type: 'personal' })
    const length = async (query: string) => (await own.ask('GET', `${ADMIN}/workspaces${query}`)).data.length
    expect(await length('')).toBe(20)
    expect(await length('?limit=100')).toBe(100)
    expect(await length('?limit=101')).toBe(100)
    expect(await length('?limit=99999999999999999999999')).toBe(100)
    await own.close()
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1.5', 'limit'],
    ['cursor=%20', 'cursor'],
    ['cursr=x', 'cursr'],
  ])('%s is refused', async (query, param) => {
    expect(await refusal(world.call('GET', `${ADMIN}/workspaces?${query}`))).toMatchObject({
      status: 400,
      param,
    })
  })
})

describe('keys', () => {
  test('creating one gives every field and the secret', async () => {
    const workspace = await newWorkspace()
    const response = await world.call('POST', `${ADMIN}/workspaces/${workspace.id}/keys`, {
      name: 'ci',
      requests_per_minute: 5,
      requests_per_day: 1000,
      monthly_spend_usd: '20.5',
      concurrent_requests: 2,
      models: ['acme/chat-1'],
      expires_at: '2027-01-01T00:00:00Z',
    })
    expect(response.status).toBe(201)
    const created = await readJson(response)
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Z]{26}$/),
      key: expect.stringMatching(/^tg_[0-9A-Z]{52}$/),
      workspace_id: workspace.id,
      name: 'ci',
      hint: `${created.key.slice(0, 7)}…`,
      status: 'active',
      requests_per_minute: 5,
      requests_per_day: 1000,
      monthly_spend_usd: '20.50',
      concurrent_requests: 2,
      models: ['acme/chat-1'],
      expires_at: Date.UTC(2027, 0, 1) / 1000,
      revoked_at: null,
      replaced_by: null,
      created: NOON_SECONDS,
    })
  })

  test('the secret is shown once: no later answer holds it, and the store knows only its SHA-256', async () => {
    const { key: secret, id, workspace_id } = await newKey()
    for (const path of [`${ADMIN}/keys/${id}`, `${ADMIN}/workspaces/${workspace_id}/keys`]) {
      expect(await (await world.call('GET', path)).text()).not.toContain(secret)
    }
    expect((await world.store.directory.findKey(sha256(secret)))?.key.id).toBe(id)
    const file = await Bun.file(world.databasePath).bytes()
    const log = await Bun.file(`${world.databasePath}-wal`).bytes()
    expect(Buffer.from(file).includes(secret) || Buffer.from(log).includes(secret)).toBe(false)
    expect(Buffer.from(file).includes(sha256(secret)) || Buffer.from(log).includes(sha256(secret))).toBe(true)
  })

  test('a key without limits says null for each', async () => {
    expect(await newKey()).toMatchObject({
      requests_per_minute: null,
      requests_per_day: null,
      monthly_spend_usd: null,
      concurrent_requests: null,
      models: null,
      expires_at: null,
    })
  })

  test('showing one tells what it has used', async () => {
    const key = await newKey()
    await credit({ id: key.workspace_id }, { amount_usd: '1' })
    await world.complete(key)
    const { key: _secret, ...shown } = key
    expect(await world.ask('GET', `${ADMIN}/keys/${key.id}`)).toEqual({
      ...shown,
      used: {
        requests_this_minute: 1,
        minute_resets_at: NOON_SECONDS + 60,
        requests_today: 1,
        spent_this_month_usd: '0.0007005',
        held_this_month_usd: '0.00',
        open_calls: 0,
      },
      refusals: { last_seven_days: 0, kept: 0, by_day: [] },
    })
  })

  test('a list holds the keys of its workspace only, newest first', async () => {
    const first = await newKey({ name: 'first' })
    world.clock += 1000
    const path = `${ADMIN}/workspaces/${first.workspace_id}/keys`
    const second = await world.ask('POST', path, { name: 'second' })
    await newKey({ name: 'elsewhere' })
    const { data, next_cursor } = await world.ask('GET', path)
    expect(data.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id])
    expect(next_cursor).toBeNull()
  })

  test('a change touches only what it names; null lifts a limit', async () => {
    const { id } = await newKey({ requests_per_day: 10, monthly_spend_usd: '5' })
    const path = `${ADMIN}/keys/${id}`
    expect(await world.ask('PATCH', path, { name: 'deploy', monthly_spend_usd: null })).toMatchObject({
      name: 'deploy',
      requests_per_day: 10,
      monthly_spend_usd: null,
    })
    await world.call('PATCH', path, { expires_at: NOON_SECONDS + 1 })
    world.clock += 1_000
    expect(await world.ask('GET', path)).toMatchObject({ status: 'expired' })
    expect(await world.ask('PATCH', path, { expires_at: null })).toMatchObject({
      status: 'active',
      expires_at: null,
    })
  })

  test('revoking answers 204, twice too, and keeps the first moment', async () => {
    const { id } = await newKey()
    const first = await world.call('DELETE', `${ADMIN}/keys/${id}`)
    expect([first.status, await first.text()]).toEqual([204, ''])
    world.clock += 5000
    expect((await world.call('DELETE', `${ADMIN}/keys/${id}`)).status).toBe(204)
    expect(await world.ask('GET', `${ADMIN}/keys/${id}`)).toMatchObject({
      status: 'revoked',
      revoked_at: NOON_SECONDS,
    })
  })

  test('a revoked key can be renamed for the books, and no change brings it back to life', async () => {
    const { id } = await newKey()
    const path = `${ADMIN}/keys/${id}`
    await world.call('DELETE', path)
    const change = { name: 'gone', requests_per_day: 5, expires_at: NOON_SECONDS + 60 }
    expect(await world.ask('PATCH', path, change)).toMatchObject({
      ...change,
      status: 'revoked',
      revoked_at: NOON_SECONDS,
    })
  })

  test('an empty change changes nothing', async () => {
    const { id } = await newKey({ requests_per_day: 10 })
    const path = `${ADMIN}/keys/${id}`
    const { used: _used, refusals: _refusals, ...before } = await world.ask('GET', path)
    for (const body of [{}, undefined]) {
      const response = await world.call('PATCH', path, body)
      expect([response.status, await readJson(response)]).toEqual([200, before])
    }
  })

  test('rotating without an overlap gives a new key with the same limits and revokes the old one', async () => {
    const old = await newKey({ requests_per_day: 10, monthly_spend_usd: '5', models: ['acme/chat-1'] })
    const response = await world.call('POST', `${ADMIN}/keys/${old.id}/rotate`)
    expect(response.status).toBe(201)
    const { previous, ...rotated } = await readJson(response)
    const { id, key, hint, ...limits } = old
    expect(rotated).toMatchObject(limits)
    expect(rotated.id).not.toBe(id)
    expect(rotated.key).not.toBe(key)
    expect(rotated.hint).not.toBe(hint)
    expect(previous).toMatchObject({ id, status: 'revoked' })
  })

  test('rotating with an overlap lets the old key work on until then', async () => {
    const old = await newKey()
    const { previous } = await world.ask('POST', `${ADMIN}/keys/${old.id}/rotate`, { overlap_seconds: 60 })
    expect(previous).toMatchObject({ id: old.id, status: 'active', expires_at: NOON_SECONDS + 60 })
    world.clock += 60_000
    expect(await world.ask('GET', `${ADMIN}/keys/${old.id}`)).toMatchObject({ status: 'expired' })
  })

  test('an overlap never prolongs a key that ends sooner', async () => {
    const old = await newKey({ expires_at: NOON_SECONDS + 10 })
    const { previous } = await world.ask('POST', `${ADMIN}/keys/${old.id}/rotate`, { overlap_seconds: 3600 })
    expect(previous.expires_at).toBe(NOON_SECONDS + 10)
  })

  test('a revoked or expired key cannot be rotated back to life', async () => {
    const revoked = await newKey()
    await world.call('DELETE', `${ADMIN}/keys/${revoked.id}`)
    const expired = await newKey({ expires_at: NOON_SECONDS + 1 })
    world.clock += 1_000
    for (const { id } of [revoked, expired]) {
      expect(await refusal(world.call('POST', `${ADMIN}/keys/${id}/rotate`, {}))).toMatchObject({
        status: 400,
      })
    }
  })

  test.each([
    [{}, 'name'],
    [{ name: 'x', requests_per_minute: 0 }, 'requests_per_minute'],
    [{ name: 'x', requests_per_day: -1 }, 'requests_per_day'],
    [{ name: 'x', monthly_spend_usd: '-1' }, 'monthly_spend_usd'],
    [{ name: 'x', monthly_spend_usd: 'ten' }, 'monthly_spend_usd'],
    [{ name: 'x', monthly_spend_usd: '0.0000000001' }, 'monthly_spend_usd'],
    [{ name: 'x', monthly_spend_usd: true }, 'monthly_spend_usd'],
    [{ name: 'x', concurrent_requests: 'two' }, 'concurrent_requests'],
    [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
    [{ name: 'x', expires_at: NOON }, 'expires_at'],
    [{ name: 'x', expires_at: '2026-13-01' }, 'expires_at'],
    [{ name: 'x', key: 'tg_mine' }, 'key'],
  ])('%j is refused and %s is named', async (body, param) => {
    const { id } = await newWorkspace()
    expect(await refusal(world.call('POST', `${ADMIN}/workspaces/${id}/keys`, body))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      param,
    })
  })

  test.each([[-1], [1.5], ['60'], [86_400 * 31], [null]])(
    'an overlap of %j is refused',
    async (overlap_seconds) => {
      const { id } = await newKey()
      expect(
        await refusal(world.call('POST', `${ADMIN}/keys/${id}/rotate`, { overlap_seconds })),
      ).toMatchObject({
        status: 400,
        param: 'overlap_seconds',
      })
      expect(await world.ask('GET', `${ADMIN}/keys/${id}`)).toMatchObject({ status: 'active' })
    },
  )

  test('an unknown key is 404 for every method', async () => {
    const calls = [
      world.call('GET', `${ADMIN}/keys/key_nobody`),
      world.call('PATCH', `${ADMIN}/keys/key_nobody`, {}),
      world.call('DELETE', `${ADMIN}/keys/key_nobody`),
      world.call('POST', `${ADMIN}/keys/key_nobody/rotate`, {}),
    ]
    for (const call of calls) {
      const refused = await refusal(call)
      expect(refused).toMatchObject({ status: 404, code: 'not_found' })
      expect(refused.message).toContain('key_nobody')
    }
  })
})

describe('credits and ledger', () => {
  test('a credit is booked as a top-up with every field', async () => {
    const workspace = await newWorkspace()
    const response = await credit(workspace, { amount_usd: '25', note: 'invoice 1042' })
    expect(response.status).toBe(201)
    expect(await readJson(response)).toEqual({
      id: expect.stringMatching(/^tr_/),
      kind: 'topup',
      amount_usd: '25.00',
      balance_usd: '25.00',
      request_id: null,
      note: 'invoice 1042',
      created: NOON_SECONDS,
    })
    expect(await world.ask('GET', `${ADMIN}/workspaces/${workspace.id}`)).toMatchObject({
      balance_usd: '25.00',
    })
  })

  test('a negative amount is an adjustment, unsigned in the ledger', async () => {
    const workspace = await newWorkspace()
    await credit(workspace, { amount_usd: '10' })
    const adjusted = await readJson(await credit(workspace, { amount_usd: '-2.5' }))
    expect(adjusted).toMatchObject({ kind: 'adjust', amount_usd: '2.50', balance_usd: '7.50' })
  })

  test('an adjustment never takes the balance below zero, and says what can be taken', async () => {
    const workspace = await newWorkspace()
    await credit(workspace, { amount_usd: '1' })
    const refused = await refusal(credit(workspace, { amount_usd: '-1.000000001' }))
    expect(refused).toMatchObject({ status: 402, code: 'insufficient_balance', param: 'amount_usd' })
    expect(refused.message).toContain('1.00')
    expect(await world.ask('GET', `${ADMIN}/workspaces/${workspace.id}`)).toMatchObject({
      balance_usd: '1.00',
    })
    expect((await credit(workspace, { amount_usd: '-1' })).status).toBe(201)
  })

  test('a refund is booked as one', async () => {
    const workspace = await newWorkspace()
    expect(
      await readJson(await credit(workspace, { amount_usd: '0.000000001', kind: 'refund' })),
    ).toMatchObject({
      kind: 'refund',
      amount_usd: '0.000000001',
    })
  })

  test('a JSON number is read by its digits', async () => {
    const workspace = await newWorkspace()
    expect(await readJson(await credit(workspace, { amount_usd: 0.1 }))).toMatchObject({ amount_usd: '0.10' })
  })

  test('the same Idempotency-Key books once and gives the first transfer again', async () => {
    const workspace = await newWorkspace()
    const headers = { 'Idempotency-Key': `invoice-${workspace.id}` }
    const twins = await Promise.all([1, 2, 3].map(() => credit(workspace, { amount_usd: '5' }, headers)))
    const [first, ...others] = await Promise.all(twins.map(readJson))
    for (const other of others) expect(other).toEqual(first)
    expect(twins.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(await world.ask('GET', `${ADMIN}/workspaces/${workspace.id}`)).toMatchObject({
      balance_usd: '5.00',
    })
  })

  test('the same Idempotency-Key for another amount is a conflict', async () => {
    const workspace = await newWorkspace()
    const headers = { 'Idempotency-Key': `conflict-${workspace.id}` }
    await credit(workspace, { amount_usd: '5' }, headers)
    expect(await refusal(credit(workspace, { amount_usd: '6' }, headers))).toMatchObject({
      status: 409,
      code: 'idempotency_conflict',
    })
  })

  test.each([
    [{}, 'amount_usd'],
    [{ amount_usd: '0' }, 'amount_usd'],
    [{ amount_usd: '-0.00' }, 'amount_usd'],
    [{ amount_usd: '1e3' }, 'amount_usd'],
    [{ amount_usd: '1,50' }, 'amount_usd'],
    [{ amount_usd: '0.0000000001' }, 'amount_usd'],
    [{ amount_usd: '99999999999' }, 'amount_usd'],
    [{ amount_usd: null }, 'amount_usd'],
    [{ amount_usd: '1', note: 5 }, 'note'],
    [{ amount_usd: '1', kind: 'adjust' }, 'kind'],
    [{ amount_usd: '-1', kind: 'refund' }, 'kind'],
    [{ amount: '1' }, 'amount_usd'],
    [{ amount_usd: '1', currency: 'EUR' }, 'currency'],
  ])('%j is refused and %s is named', async (body, param) => {
    const workspace = await newWorkspace()
    expect(await refusal(credit(workspace, body))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      param,
    })
    expect(await world.ask('GET', `${ADMIN}/workspaces/${workspace.id}/ledger`)).toMatchObject({ data: [] })
  })

  test('an Idempotency-Key that is too long is refused', async () => {
    const workspace = await newWorkspace()
    const refused = await refusal(
      credit(workspace, { amount_usd: '1' }, { 'Idempotency-Key': 'x'.repeat(256) }),
    )
    expect(refused).toMatchObject({ status: 400, param: 'Idempotency-Key' })
  })

  test('the ledger lists every transfer, newest first, each with the balance after it', async () => {
    const key = await newKey()
    await credit({ id: key.workspace_id }, { amount_usd: '1' })
    const id = await world.complete(key)
    const { data } = await world.ask('GET', `${ADMIN}/workspaces/${key.workspace_id}/ledger`)
    const kinds = data.map(({ kind }: { kind: string }) => kind)
    expect(kinds.at(-1)).toBe('topup')
    expect(kinds.toSorted()).toEqual(['charge', 'hold', 'release', 'topup'])
    const charge = data.find(({ kind }: { kind: string }) => kind === 'charge')
    expect(charge).toMatchObject({ amount_usd: '0.0007005', balance_usd: '0.9992995', request_id: id })
  })
})

describe('usage and receipts', () => {
  test('usage adds up by day, model, key and workspace, and ends with the total', async () => {
    const key = await newKey()
    const workspace = key.workspace_id
    await credit({ id: workspace }, { amount_usd: '1' })
    await world.complete(key)
    world.clock = NOON + 86_400_000
    await world.complete(key)
    await world.complete(key, { model: 'acme/plain' })
    const ask = (query: string) => world.ask('GET', `${ADMIN}/usage?workspace_id=${workspace}${query}`)
    const one = {
      requests: 1,
      prompt_tokens: 1001,
      completion_tokens: 200,
      total_tokens: 1201,
      charge_usd: '0.0007005',
    }
    const two = {
      requests: 2,
      prompt_tokens: 2002,
      completion_tokens: 400,
      total_tokens: 2402,
      charge_usd: '0.001401',
    }
    const three = {
      requests: 3,
      prompt_tokens: 3003,
      completion_tokens: 600,
      total_tokens: 3603,
      charge_usd: '0.0021015',
    }
    expect(await ask('')).toEqual({
      data: [
        { group: '2026-11-20', name: null, ...one },
        { group: '2026-11-21', name: null, ...two },
      ],
      next_cursor: null,
      group_by: 'day',
      total: three,
    })
    expect((await ask('&group_by=model')).data).toEqual([
      { group: 'acme/chat-1', name: null, ...two },
      { group: 'acme/plain', name: null, ...one },
    ])
    expect((await ask('&group_by=key')).data).toEqual([{ group: key.id, name: key.name, ...three }])
    expect((await ask('&group_by=workspace')).data).toEqual([
      { group: workspace, name: (await world.ask('GET', `${ADMIN}/workspaces/${workspace}`)).name, ...three },
    ])
    expect((await ask('&model=acme/plain')).total).toEqual(one)
    expect((await ask(`&key_id=${key.id}`)).total).toEqual(three)
    for (const from of ['2026-11-21', '2026-11-21T00:00:00Z', '2026-11-21T01:00:00%2B01:00', '1795219200']) {
      expect((await ask(`&from=${from}`)).total).toEqual(two)
      expect((await ask(`&to=${from}`)).total).toEqual(one)
    }
  })

  test.each([
    ['group_by=hour', 'group_by'],
    ['from=yesterday', 'from'],
    [`to=${NOON}`, 'to'],
    ['from=2026-11-21&to=2026-11-21', 'to'],
    ['groupby=day', 'groupby'],
  ])('usage with %s is refused', async (query, param) => {
    expect(await refusal(world.call('GET', `${ADMIN}/usage?${query}`))).toMatchObject({ status: 400, param })
  })

  test('a receipt tells everything of a call', async () => {
    const key = await newKey()
    await credit({ id: key.workspace_id }, { amount_usd: '1' })
    const id = await world.complete(key)
    const { transfers, ...receipt } = await world.ask('GET', `${ADMIN}/requests/${id}`)
    expect(receipt).toEqual({
      kind: 'receipt',
      id,
      workspace_id: key.workspace_id,
      key_id: key.id,
      model: 'acme/chat-1',
      requested_model: 'acme/chat',
      provider: 'acme',
      upstream_model: 'upstream-chat-1',
      stream: true,
      status: 200,
      ending: 'completed',
      user: 'alice',
      usage: {
        prompt_tokens: 1001,
        cached_tokens: 400,
        cache_write_tokens: 0,
        completion_tokens: 200,
        reasoning_tokens: 0,
        total_tokens: 1201,
        source: 'reported',
      },
      lines: [
        { class: 'input', tokens: 601, unit_price_usd: '0.50', amount_usd: '0.0003005' },
        { class: 'cached_input', tokens: 400, unit_price_usd: '0.25', amount_usd: '0.0001' },
        { class: 'output', tokens: 200, unit_price_usd: '1.50', amount_usd: '0.0003' },
      ],
      hold_usd: '0.01',
      charge_usd: '0.0007005',
      writeoff_usd: '0.00',
      attempts: [
        {
          provider: 'other',
          upstream_model: 'x',
          outcome: 'overloaded',
          status: 503,
          reason: 'The provider was overloaded.',
          started_ms: 1,
          duration_ms: 10,
        },
        {
          provider: 'acme',
          upstream_model: 'upstream-chat-1',
          outcome: 'answered',
          status: null,
          reason: null,
          started_ms: 12,
          duration_ms: 800,
        },
      ],
      timings: { started_at: '2026-11-20T12:00:00.000Z', first_event_ms: 120, duration_ms: 812 },
      created: NOON_SECONDS,
    })
    expect(transfers[0]).toMatchObject({ kind: 'hold', amount_usd: '0.01', request_id: id })
    expect(transfers).toContainEqual(expect.objectContaining({ kind: 'charge', amount_usd: '0.0007005' }))
  })

  test('requests are listed newest first, filtered and paged', async () => {
    const key = await newKey()
    await credit({ id: key.workspace_id }, { amount_usd: '1' })
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      world.clock = NOON + i * 1000
      ids.unshift(await world.complete(key, i === 0 ? { model: 'acme/plain' } : {}))
    }
    const ask = (query: string) =>
      world.ask('GET', `${ADMIN}/requests?workspace_id=${key.workspace_id}${query}`)
    const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id)
    expect(idsOf(await ask(''))).toEqual(ids)
    expect(idsOf(await ask('&model=acme/plain'))).toEqual(ids.slice(2))
    expect(idsOf(await ask(`&key_id=${key.id}`))).toEqual(ids)
    const other = await newKey()
    expect(idsOf(await ask(`&key_id=${other.id}`))).toEqual([])
    const first = await ask('&limit=2')
    expect(idsOf(first)).toEqual(ids.slice(0, 2))
    expect(idsOf(await ask(`&limit=2&cursor=${first.next_cursor}`))).toEqual(ids.slice(2))
  })

  test('an unknown request is 404', async () => {
    expect(await refusal(world.call('GET', `${ADMIN}/requests/chatcmpl-nothing`))).toMatchObject({
      status: 404,
      code: 'not_found',
    })
  })
})

describe('catalogue', () => {
  test('models are shown with prices, targets and status, retired ones too', async () => {
    const { data, next_cursor } = await world.ask('GET', `${ADMIN}/models`)
    expect(next_cursor).toBeNull()
    expect(data).toEqual(MODELS.map((model) => modelView(model, NOON)))
    expect(data[0]).toMatchObject({
      id: 'acme/chat-1',
      our_price: { input_usd: '0.50', output_usd: '1.50', cached_input_usd: '0.25', reasoning_usd: null },
      official_price: { input_usd: '1.00', output_usd: '3.00', source: 'acme' },
      targets: [{ provider: 'acme', model: 'upstream-chat-1', weight: 1, priority: 0 }],
      status: 'available',
      assumed_output_tokens: 512,
      image_tokens: 1000,
      hidden_reasoning: 'never',
    })
    expect(data[1]).toMatchObject({ hidden_reasoning: 'on_request' })
    expect(data.at(-1)).toMatchObject({ status: 'retired', successor: 'acme/chat-1' })
  })

  test('providers are shown as the gateway reports them', async () => {
    const acme = {
      id: 'acme',
      display_name: 'Acme',
      wire: 'openai-chat',
      base_url: 'http://127.0.0.1:9000/v1',
      status: 'healthy' as const,
      credentials: [{ name: 'acme#1', status: 'ready' as const, retry_at: null }],
      routes: [],
      blocks: [],
      blocks_not_shown: 0,
    }
    const own = await createAdminWorld({ providersHealth: async () => [acme] })
    expect(await own.ask('GET', `${ADMIN}/providers`)).toEqual({ data: [acme], next_cursor: null })
    await own.close()
  })
})
