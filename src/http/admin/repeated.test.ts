import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  ADMIN_TOKEN,
  type AdminWorld,
  NOON,
  createAdminWorld,
  readJson,
} from '../../../test/support/adminWorld.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { SECRET_ANSWER_MS } from '../../operations/once.ts'

const ADMIN = '/api/v1/admin'
let world: AdminWorld
/** Lets an installation have two tokens, one after the other. */
let adminToken = ADMIN_TOKEN
let keysUsed = 0

beforeAll(async () => {
  world = await createAdminWorld({ adminToken: () => adminToken })
})
afterAll(() => world.close())
beforeEach(() => {
  world.clock = NOON
  adminToken = ADMIN_TOKEN
})

const freshKey = () => ({ 'Idempotency-Key': `test-${keysUsed++}` })
const newWorkspace = () => world.ask('POST', `${ADMIN}/workspaces`, { name: 'Blue', type: 'personal' })
const keysOf = async (id: string) => (await world.ask('GET', `${ADMIN}/workspaces/${id}/keys`)).data

/** Every kind of request that makes something: its path and body. */
async function makers(): Promise<[path: string, body: object][]> {
  const { id } = await newWorkspace()
  const key = await world.ask('POST', `${ADMIN}/workspaces/${id}/keys`, { name: 'old' })
  return [
    [`${ADMIN}/workspaces`, { name: 'Team', type: 'personal' }],
    [`${ADMIN}/workspaces/${id}/keys`, { name: 'ci', monthly_spend_usd: '5.00', models: null }],
    [`${ADMIN}/workspaces/${id}/credits`, { amount_usd: '1.50' }],
    [`${ADMIN}/keys/${key.id}/rotate`, { overlap_seconds: 60 }],
  ]
}

async function refusal(response: Response | Promise<Response>) {
  const { status } = await response
  const { error } = await readJson(await response)
  return { status, code: error.code, message: error.message as string }
}

describe('a repeated POST', () => {
  test('is given the first answer again, whatever it makes and however many come at once', async () => {
    for (const [path, body] of await makers()) {
      const headers = freshKey()
      const responses = await Promise.all(
        Array.from({ length: 5 }, () => world.call('POST', path, body, headers)),
      )
      responses.push(
        await world.call('POST', path, Object.fromEntries(Object.entries(body).reverse()), headers),
      )
      const [first, ...others] = await Promise.all(responses.map((response) => readJson(response)))
      expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201))
      for (const other of others) expect(other).toEqual(first)
    }
  })

  test('without an Idempotency-Key is another request', async () => {
    const { id } = await newWorkspace()
    for (let i = 0; i < 2; i++) await world.call('POST', `${ADMIN}/workspaces/${id}/keys`, { name: 'ci' })
    expect(await keysOf(id)).toHaveLength(2)
  })

  test('with another body, or at another place, is a conflict, and changes nothing', async () => {
    for (const [path, body] of await makers()) {
      const headers = freshKey()
      await world.call('POST', path, body, headers)
      const other = { ...body, ...('amount_usd' in body ? { amount_usd: '2' } : {}) }
      const changed = 'name' in body ? { ...body, name: 'other' } : 'amount_usd' in body ? other : {}
      expect(await refusal(world.call('POST', path, changed, headers))).toMatchObject({
        status: 409,
        code: 'idempotency_conflict',
      })
    }
    const headers = freshKey()
    const [one, two] = [await newWorkspace(), await newWorkspace()]
    await world.call('POST', `${ADMIN}/workspaces/${one.id}/keys`, { name: 'ci' }, headers)
    const elsewhere = world.call('POST', `${ADMIN}/workspaces/${two.id}/keys`, { name: 'ci' }, headers)
    expect((await refusal(elsewhere)).status).toBe(409)
    expect(await keysOf(two.id)).toEqual([])
  })

  test('after a refusal is a first request', async () => {
    const { id } = await newWorkspace()
    const headers = freshKey()
    const path = `${ADMIN}/workspaces/${id}/keys`
    expect((await world.call('POST', path, { name: '' }, headers)).status).toBe(400)
    expect(
      (await world.call('POST', `${ADMIN}/workspaces/ws_nobody/keys`, { name: 'ci' }, headers)).status,
    ).toBe(404)
    expect((await world.call('POST', path, { name: 'ci' }, headers)).status).toBe(201)
  })

  test('with a key that no header can carry is refused, wherever it goes', async () => {
    for (const [path, body] of await makers()) {
      for (const key of ['', 'x'.repeat(256), 'a b']) {
        const response = world.call('POST', path, body, { 'Idempotency-Key': key })
        expect((await refusal(response)).status).toBe(400)
      }
    }
  })
})

describe('an answer that holds a secret', () => {
  const create = (path: string, headers: Record<string, string>) =>
    world.call('POST', path, { name: 'ci' }, headers)

  test('is kept for ten minutes; afterwards the repetition names the key without its secret', async () => {
    const { id } = await newWorkspace()
    const path = `${ADMIN}/workspaces/${id}/keys`
    const headers = freshKey()
    const first = await readJson(await create(path, headers))
    world.clock += SECRET_ANSWER_MS - 1
    expect(await readJson(await create(path, headers))).toEqual(first)
    world.clock += 1
    const late = await refusal(create(path, headers))
    expect(late).toMatchObject({ status: 409, code: 'idempotency_conflict' })
    expect(late.message).toContain(first.id)
    expect(late.message).not.toContain(first.key)
    expect(await keysOf(id)).toHaveLength(1)
  })

  test('is nowhere in the database, and opens with no other token', async () => {
    const { id } = await newWorkspace()
    const path = `${ADMIN}/workspaces/${id}/keys`
    const headers = freshKey()
    const { key } = await readJson(await create(path, headers))
    for (const file of [world.databasePath, `${world.databasePath}-wal`]) {
      expect((await Bun.file(file).text()).includes(key)).toBe(false)
    }
    adminToken = 'another-admin-token-0123456789'
    const repeated = await refusal(create(path, { ...headers, Authorization: `Bearer ${adminToken}` }))
    expect(repeated).toMatchObject({ status: 409, code: 'idempotency_conflict' })
    adminToken = ADMIN_TOKEN
    expect(repeated.message).toContain((await keysOf(id))[0].id)
  })

  test('repeated beside the database is not opened either: the repetition names what was made', async () => {
    const { createLocalOperations } = await import('../../operations/localOperations.ts')
    const operations = createLocalOperations(world.deps)
    const { id } = await newWorkspace()
    const made = await world.ask(
      'POST',
      `${ADMIN}/workspaces/${id}/keys`,
      { name: 'ci' },
      { 'Idempotency-Key': id },
    )
    const rotated = await world.ask('POST', `${ADMIN}/keys/${made.id}/rotate`, {}, { 'Idempotency-Key': id })
    const token = await world.ask('POST', `${ADMIN}/tokens`, { name: id }, { 'Idempotency-Key': id })
    const act = { idempotencyKey: id }
    expect(await rejectionOf(operations.createKey(id, { name: 'ci' }, act))).toMatchObject({
      refusal: { code: 'idempotency_conflict', message: expect.stringContaining(made.id) },
    })
    expect(await rejectionOf(operations.rotateKey(made.id, {}, act))).toMatchObject({
      refusal: { code: 'idempotency_conflict', message: expect.stringContaining(rotated.id) },
    })
    expect(await rejectionOf(operations.createAdminToken({ name: id }, act))).toMatchObject({
      refusal: { code: 'idempotency_conflict', message: expect.stringContaining(token.id) },
    })
  })

  test('beside the database, without a token, is not kept: the repetition names the key', async () => {
    const { createLocalOperations } = await import('../../operations/localOperations.ts')
    const operations = createLocalOperations(world.deps)
    const { id } = await newWorkspace()
    const act = { idempotencyKey: `local-${id}` }
    const made = await operations.createKey(id, { name: 'ci' }, act)
    const repeated = operations.createKey(id, { name: 'ci' }, act)
    expect(repeated).rejects.toThrow(made.id)
    await repeated.catch(() => undefined)
    expect(await keysOf(id)).toHaveLength(1)
  })
})

describe('a key that has been rotated', () => {
  test('names its successor, and a second rotation is a 409 that does so too', async () => {
    const { id } = await newWorkspace()
    const old = await world.ask('POST', `${ADMIN}/workspaces/${id}/keys`, { name: 'ci' })
    for (const overlap of [{ overlap_seconds: 60 }, {}]) {
      world.clock += 1
      const { id: current } = (await keysOf(id))[0]
      const rotated = await world.ask('POST', `${ADMIN}/keys/${current}/rotate`, overlap)
      expect(rotated.previous.replaced_by).toBe(rotated.id)
      expect(rotated.replaced_by).toBeNull()
      const again = await refusal(world.call('POST', `${ADMIN}/keys/${current}/rotate`, {}))
      expect(again).toMatchObject({ status: 409, code: 'already_rotated' })
      expect(again.message).toContain(rotated.id)
    }
    expect((await world.ask('GET', `${ADMIN}/keys/${old.id}`)).replaced_by).not.toBeNull()
  })

  test('shares what has been used with its successor, also of the month', async () => {
    const { id } = await newWorkspace()
    await world.call('POST', `${ADMIN}/workspaces/${id}/credits`, { amount_usd: '10' })
    const old = await world.ask('POST', `${ADMIN}/workspaces/${id}/keys`, { name: 'ci' })
    await world.complete(old)
    const { used } = await world.ask('GET', `${ADMIN}/keys/${old.id}`)
    expect(used.spent_this_month_usd).not.toBe('0.00')
    const rotated = await world.ask('POST', `${ADMIN}/keys/${old.id}/rotate`, { overlap_seconds: 60 })
    expect((await world.ask('GET', `${ADMIN}/keys/${rotated.id}`)).used).toEqual(used)
  })

  test('and one revoked by a clock that is ahead are dead at once', async () => {
    const { id } = await newWorkspace()
    const key = await world.ask('POST', `${ADMIN}/workspaces/${id}/keys`, { name: 'ci' })
    world.clock += 60_000
    await world.call('DELETE', `${ADMIN}/keys/${key.id}`)
    world.clock -= 60_000
    expect(await world.ask('GET', `${ADMIN}/keys/${key.id}`)).toMatchObject({ status: 'revoked' })
  })
})
