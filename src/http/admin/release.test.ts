import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type AdminWorld, NOON, createAdminWorld, readJson } from '../../../test/support/adminWorld.ts'
import {
  type BlockedProvider,
  createBlockedProvider,
  openCircuit,
  parkedKey,
} from '../../../test/support/blockedProvider.ts'
import { BLOCKS_SHOWN_MAX } from '../../operations/block.ts'

const ADMIN = '/api/v1/admin'
const RELEASE = `${ADMIN}/providers/acme/release`
const UNTIL = NOON + 10_000
let world: AdminWorld
let acme: BlockedProvider
let workspace: string

beforeAll(async () => {
  acme = createBlockedProvider()
  world = await createAdminWorld(acme.deps)
  workspace = (await world.ask('POST', `${ADMIN}/workspaces`, { name: 'Blue', type: 'personal' })).id
})
afterAll(() => world.close())
beforeEach(() => {
  world.clock += 1_000
  acme.blocks = [openCircuit(workspace, UNTIL), openCircuit('everyone', UNTIL), parkedKey(UNTIL)]
})

const scopes = () => acme.blocks.map(({ what, scope }) => `${what} ${scope}`)
const newestEntry = async () => (await world.ask('GET', `${ADMIN}/audit?limit=1`)).data[0]

async function refusal(path: string, body: object) {
  const response = await world.call('POST', path, body)
  const { error } = await readJson(response)
  return { status: response.status, code: error.code, param: error.param, message: error.message }
}

describe('a release', () => {
  test('uses again everything of the provider, and says what: for everyone first', async () => {
    const released = await world.ask('POST', RELEASE, {})
    expect(released).toEqual({
      provider: 'acme',
      released: [
        {
          what: 'circuit',
          upstream_model: 'chat-1',
          credential: null,
          workspace_id: null,
          reason: 'server',
          message: 'The provider failed.',
          last_choice: false,
          retry_at: UNTIL / 1000,
        },
        expect.objectContaining({ what: 'credential', credential: 'acme#1', upstream_model: null }),
        expect.objectContaining({ what: 'circuit', workspace_id: workspace }),
      ],
      released_not_shown: 0,
    })
    expect(scopes()).toEqual([])
  })

  test('of a target leaves what concerns others, too', async () => {
    await world.ask('POST', RELEASE, { target: 'chat-1' })
    expect(scopes()).toEqual(['credential everyone'])
  })

  test('of a workspace leaves what applies to everyone', async () => {
    await world.ask('POST', RELEASE, { workspace_id: workspace })
    expect(scopes()).toEqual(['circuit everyone', 'credential everyone'])
  })

  test('is in the audit log, with its workspace and what was blocked', async () => {
    const { released } = await world.ask('POST', RELEASE, { workspace_id: workspace })
    expect(await newestEntry()).toMatchObject({
      action: 'provider.release',
      subject: 'acme',
      workspace_id: workspace,
      changes: { blocks: { before: released, after: [] } },
    })
  })

  test('where nothing is blocked says so, and is not in the audit log', async () => {
    acme.blocks = []
    const before = await newestEntry()
    expect(await world.ask('POST', RELEASE, {})).toMatchObject({ released: [], released_not_shown: 0 })
    expect(await newestEntry()).toEqual(before)
  })

  test('names no more than a person reads, and counts the others', async () => {
    acme.blocks = Array.from({ length: BLOCKS_SHOWN_MAX + 7 }, (_, i) => openCircuit(`ws_${i}`, UNTIL + i))
    const { released, released_not_shown: more } = await world.ask('POST', RELEASE, {})
    expect([released.length, more]).toEqual([BLOCKS_SHOWN_MAX, 7])
    expect(released[0].workspace_id).toBe(`ws_${BLOCKS_SHOWN_MAX + 6}`)
    expect(scopes()).toEqual([])
  })

  test('that is repeated under its key gets the first answer again, and has one entry', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const first = await world.ask('POST', RELEASE, {}, headers)
    const entry = await newestEntry()
    expect(await world.ask('POST', RELEASE, {}, headers)).toEqual(first)
    expect(await newestEntry()).toEqual(entry)
    const other = await world.call('POST', RELEASE, { target: 'chat-1' }, headers)
    expect((await readJson(other)).error.code).toBe('idempotency_conflict')
  })

  test('that is repeated uses again what its first time did not come to', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const lost = acme.blocks
    await world.ask('POST', RELEASE, {}, headers)
    acme.blocks = lost
    await world.ask('POST', RELEASE, {}, headers)
    expect(scopes()).toEqual([])
  })
})

describe('a release that names what is not there', () => {
  test.each([
    [`${ADMIN}/providers/nobody/release`, {}, 404, 'not_found', null, 'There is no provider "nobody".'],
    [RELEASE, { target: 'chat-9' }, 400, 'invalid_request', 'target', 'there are: chat-1'],
    [RELEASE, { workspace_id: 'ws_none' }, 404, 'not_found', null, 'There is no workspace "ws_none".'],
    [RELEASE, { workspace: 'ws_none' }, 400, 'invalid_request', 'workspace', 'there is no such field'],
    [RELEASE, { target: 7 }, 400, 'invalid_request', 'target', 'must be a string'],
  ])('%s with %p is a %p', async (path, body, status, code, param, message) => {
    expect(await refusal(path, body)).toEqual({
      status,
      code,
      param,
      message: expect.stringContaining(message),
    })
    expect(scopes()).toHaveLength(3)
  })
})

test('where no gateway runs, a release says that the gateway itself must be asked', async () => {
  const idle = await createAdminWorld()
  const response = await idle.call('POST', RELEASE, {})
  expect([response.status, (await readJson(response)).error.message]).toEqual([
    503,
    expect.stringContaining('memory of a running gateway'),
  ])
  await idle.close()
})
