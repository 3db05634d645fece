import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type AdminWorld, NOON, createAdminWorld, readJson } from '../../../test/support/adminWorld.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { ReportTooLarge } from '../../core/ports/books.ts'
import { createLocalOperations } from '../../operations/localOperations.ts'

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
  world.ask('POST', `${ADMIN}/workspaces`, { name: 'Blue', type: 'personal', ...change })
const newKey = async (change: object = {}) => {
  const { id } = await newWorkspace()
  return world.ask('POST', `${ADMIN}/workspaces/${id}/keys`, { name: 'ci', ...change })
}

async function refusal(method: string, path: string, body?: unknown) {
  const response = await world.call(method, `${ADMIN}${path}`, body)
  const { error } = await readJson(response)
  return { status: response.status, param: error?.param, message: String(error?.message) }
}

describe('a date', () => {
  test.each([
    ['2027-02-30', 'this date or time does not exist: 2027-02-30.'],
    ['2026-11-31T10:00:00Z', 'this date or time does not exist: 2026-11-31T10:00:00Z.'],
    ['2026-02-29', 'this date or time does not exist: 2026-02-29.'],
    ['2026-13-01', 'this date or time does not exist: 2026-13-01.'],
    ['2026-11-20T25:00:00Z', 'this date or time does not exist: 2026-11-20T25:00:00Z.'],
    ['20271231', '2027-12-31'],
    [20271231, '2027-12-31'],
    ['2027', 'ISO 8601'],
    [0, 'ISO 8601'],
  ])('that is none, %p, is refused and not taken for another one', async (moment, hint) => {
    const { id } = await newWorkspace()
    const made = await refusal('POST', `/workspaces/${id}/keys`, { name: 'ci', expires_at: moment })
    expect(made).toMatchObject({ status: 400, param: 'expires_at' })
    expect(made.message).toContain(hint)
    expect(await refusal('GET', `/usage?from=${moment}`)).toMatchObject({ status: 400, param: 'from' })
  })

  test.each([
    ['2028-02-29', Date.UTC(2028, 1, 29)],
    ['2026-12-31T23:59:59+02:00', Date.UTC(2026, 11, 31, 21, 59, 59)],
    [String(NOON_SECONDS + 60), NOON + 60_000],
  ])('of the calendar, %s, is taken as it is', async (moment, at) => {
    expect(await newKey({ expires_at: moment })).toMatchObject({ expires_at: at / 1000 })
  })

  test('on which a key ends is not in the past, when it is made and when it is changed', async () => {
    const { id } = await newWorkspace()
    const past = { name: 'ci', expires_at: NOON_SECONDS }
    expect(await refusal('POST', `/workspaces/${id}/keys`, past)).toMatchObject({
      status: 400,
      param: 'expires_at',
    })
    const key = await newKey()
    expect(await refusal('PATCH', `/keys/${key.id}`, { expires_at: '2026-11-01' })).toMatchObject({
      status: 400,
    })
    expect(await world.ask('GET', `${ADMIN}/keys/${key.id}`)).toMatchObject({
      status: 'active',
      expires_at: null,
    })
  })
})

describe('an amount', () => {
  test('that a JSON number cannot hold is refused; as text it is booked to the last digit', async () => {
    const { id } = await newWorkspace()
    const path = `/workspaces/${id}/credits`
    expect(await refusal('POST', path, '{"amount_usd": 1234567890.123456789}')).toMatchObject({
      status: 400,
      param: 'amount_usd',
      message: expect.stringContaining('must be a string'),
    })
    expect(await world.ask('POST', ADMIN + path, { amount_usd: '1234567890.123456789' })).toMatchObject({
      amount_usd: '1234567890.123456789',
    })
    expect(await world.ask('POST', ADMIN + path, { amount_usd: 12.5 })).toMatchObject({ amount_usd: '12.50' })
  })
})

describe('a cursor', () => {
  test('that is damaged, or of another list, is refused: the list would seem to end', async () => {
    const key = await newKey()
    const other = await newKey()
    await world.call('POST', `${ADMIN}/workspaces/${key.workspace_id}/credits`, { amount_usd: '5' })
    await world.call('POST', `${ADMIN}/workspaces/${other.workspace_id}/credits`, { amount_usd: '5' })
    await world.complete(key)
    const theirs = (await world.ask('GET', `${ADMIN}/workspaces/${other.workspace_id}/ledger`)).data[0].id
    const lists = [
      '/workspaces',
      `/workspaces/${key.workspace_id}/keys`,
      '/requests',
      `/workspaces/${key.workspace_id}/ledger`,
    ]
    for (const list of lists) {
      for (const cursor of ['0', '-1', 'nonsense', theirs, other.id, 'tr_0000000000000000001']) {
        expect(await refusal('GET', `${list}?cursor=${cursor}`)).toMatchObject({
          status: 400,
          param: 'cursor',
        })
      }
    }
  })

  test('of the page before goes on, to the end of the list and no further', async () => {
    const { id } = await newWorkspace()
    for (let i = 0; i < 3; i++) await world.call('POST', `${ADMIN}/workspaces/${id}/keys`, { name: `k${i}` })
    const first = await world.ask('GET', `${ADMIN}/workspaces/${id}/keys?limit=2`)
    const second = await world.ask(
      'GET',
      `${ADMIN}/workspaces/${id}/keys?limit=2&cursor=${first.next_cursor}`,
    )
    expect([...first.data, ...second.data]).toHaveLength(3)
    expect(second.next_cursor).toBeNull()
    const past = await world.ask('GET', `${ADMIN}/workspaces/${id}/keys?cursor=${second.data[0].id}`)
    expect(past).toEqual({ data: [], next_cursor: null })
  })
})

describe('a filter', () => {
  test('that names nothing is an error, not "no usage"', async () => {
    for (const list of ['/usage', '/requests']) {
      for (const query of ['workspace_id=ws_nobody', 'workspace_id=Team%20Blue', 'key_id=key_nobody']) {
        expect((await refusal('GET', `${list}?${query}`)).status).toBe(404)
      }
      for (const query of ['workspace_id=', 'key_id=', 'model=', 'model=acme%2Fchat-9']) {
        expect((await refusal('GET', `${list}?${query}`)).status).toBe(400)
      }
      const { message } = await refusal('GET', `${list}?model=acme%2Fchat-2x`)
      expect(message).toContain('there is no model "acme/chat-2x"')
    }
  })

  test('by an alias finds what its model answered', async () => {
    const key = await newKey()
    await world.call('POST', `${ADMIN}/workspaces/${key.workspace_id}/credits`, { amount_usd: '5' })
    await world.complete(key)
    const filter = `workspace_id=${key.workspace_id}&model=${encodeURIComponent('acme/chat')}`
    expect((await world.ask('GET', `${ADMIN}/usage?${filter}`)).total.requests).toBe(1)
    expect((await world.ask('GET', `${ADMIN}/requests?${filter}`)).data).toHaveLength(1)
  })
})

describe('a report', () => {
  test('that is too large says how to narrow it down', async () => {
    const tooLarge = () => Promise.reject(new ReportTooLarge('the report takes too long'))
    const books = { ...world.store.books, usage: tooLarge, requests: tooLarge, failedRequests: tooLarge }
    const operations = createLocalOperations({ ...world.deps, store: { ...world.store, books } })
    for (const report of [
      operations.usage({ group_by: 'day' }),
      operations.requests({}),
      operations.failedRequests({}),
    ]) {
      expect(await rejectionOf(report)).toMatchObject({
        refusal: { code: 'invalid_request', message: expect.stringContaining('Narrow it down') },
      })
    }
  })
})

describe('a list of allowed models', () => {
  test('takes ids and aliases of the catalogue, and names what it does not know', async () => {
    const known = await newWorkspace({ models: ['acme/chat-1', 'acme/chat'] })
    expect(known.models).toEqual(['acme/chat-1', 'acme/chat'])
    for (const models of [['acme/chat-1', 'acme/chat-11'], ['none']]) {
      const position = models.length - 1
      for (const path of ['/workspaces', `/workspaces/${known.id}/keys`]) {
        const made = await refusal('POST', path, {
          name: 'x',
          ...(path === '/workspaces' && { type: 'personal' }),
          models,
        })
        expect(made).toMatchObject({ status: 400, param: `models[${position}]` })
      }
    }
    const { message } = await refusal('PATCH', `/workspaces/${known.id}`, { models: ['acme/chat-11'] })
    expect(message).toContain('did you mean "acme/chat-1"?')
  })

  test('keeps what it has when a model is gone, and takes nothing new that is not there', async () => {
    const key = await newKey()
    await world.store.directory.updateKey(key.id, { models: ['acme/vanished'] })
    const kept = { models: ['acme/vanished', 'acme/chat-1'] }
    expect(await world.ask('PATCH', `${ADMIN}/keys/${key.id}`, kept)).toMatchObject(kept)
    expect(
      (await refusal('PATCH', `/keys/${key.id}`, { models: ['acme/vanished', 'acme/lost'] })).param,
    ).toBe('models[1]')
  })
})

describe('a name', () => {
  test.each([
    ['half of a surrogate pair', 'a\ud800b'],
    ['a mark that turns the direction', 'a\u202eb'],
    ['an isolate', 'a\u2066b'],
    ['a blank of no width', 'a\u200bb'],
    ['a line separator', 'a\u2028b'],
    ['a tag character', `a${String.fromCodePoint(0xe0041)}b`],
  ])('with %s is refused', async (_what, name) => {
    expect(await refusal('POST', '/workspaces', { name, type: 'personal' })).toMatchObject({
      status: 400,
      param: 'name',
    })
  })

  test.each(['Müller & Söhne', '青チーム', 'فريق می‌خواهم', '👩‍🚀 Raumfahrt'])(
    'of any language is taken: %s',
    async (name) => {
      expect(await newWorkspace({ name })).toMatchObject({ name })
    },
  )
})

describe('a secret in the place of an id', () => {
  test('is not said again, and the key that it opens is', async () => {
    const key = await newKey()
    const requests: [string, string][] = [
      ['GET', `/keys/${key.key}`],
      ['PATCH', `/keys/${key.key}`],
      ['DELETE', `/keys/${key.key}`],
      ['POST', `/keys/${key.key}/rotate`],
    ]
    for (const [method, path] of requests) {
      const { status, message } = await refusal(method, path, method === 'GET' ? undefined : {})
      expect(status).toBe(404)
      expect(message).toContain(key.id)
      expect(message).not.toContain(key.key.slice(3))
    }
    for (const path of [`/workspaces/${key.key}`, `/requests/${key.key}`, `/usage?key_id=${key.key}`]) {
      const { status, message } = await refusal('GET', path)
      expect(status).toBe(404)
      expect(message).not.toContain(key.key.slice(3))
    }
  })
})
