import { afterAll, beforeAll, expect, test } from 'bun:test'
import { jsonOf } from '../support/readAnswer.ts'
import { MODEL, startWorld, type World } from '../support/world.ts'

const ADMIN_TOKEN = 'admin-token-of-this-journey'

let world: World
beforeAll(async () => {
  world = await startWorld({ config: () => ({ server: { admin_token: ADMIN_TOKEN } }) })
})
afterAll(() => world.stop())

async function admin(
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown> & { http: number }> {
  const response = await world.request(method, `/api/v1/admin${path}`, body, {
    authorization: `Bearer ${ADMIN_TOKEN}`,
  })
  const answer = response.status === 204 ? {} : await jsonOf(response)
  return { ...answer, http: response.status }
}

test('an operator opens an account, sells to it, looks at what it used, and closes it', async () => {
  const made = await admin('POST', '/workspaces', { name: 'Team Blue', type: 'organization' })
  expect(made).toMatchObject({ http: 201, name: 'Team Blue', balance_usd: '0.00' })
  const workspace = made['id'] as string
  expect(await admin('PATCH', `/workspaces/${workspace}`, { name: 'Team Green' })).toMatchObject({
    http: 200,
    name: 'Team Green',
  })
  expect(await admin('POST', `/workspaces/${workspace}/credits`, { amount_usd: '5' })).toMatchObject({
    http: 201,
    kind: 'topup',
    balance_usd: '5.00',
  })

  const created = await admin('POST', `/workspaces/${workspace}/keys`, { name: 'ci' })
  const key = created['id'] as string
  expect(await admin('PATCH', `/keys/${key}`, { requests_per_day: 7 })).toMatchObject({
    requests_per_day: 7,
  })
  const headers = { authorization: `Bearer ${created['key'] as string}` }
  const completion = await jsonOf(await world.chat({ model: MODEL, max_tokens: 20 }, headers))
  const receipt = completion['id'] as string

  expect(await admin('GET', `/workspaces/${workspace}`)).toMatchObject({ balance_usd: '4.9999775' })
  expect(await admin('GET', '/workspaces?limit=1')).toMatchObject({ data: [{ id: workspace }] })
  expect(await admin('GET', `/workspaces/${workspace}/keys`)).toMatchObject({ data: [{ id: key }] })
  expect(await admin('GET', `/workspaces/${workspace}/ledger`)).toMatchObject({
    data: [{ kind: 'charge' }, { kind: 'release' }, { kind: 'hold' }, { kind: 'topup' }],
  })
  expect(await admin('GET', `/keys/${key}`)).toMatchObject({ used: { requests_today: 1 } })
  expect(await admin('GET', `/usage?workspace_id=${workspace}&group_by=key`)).toMatchObject({
    data: [{ group: key, requests: 1, charge_usd: '0.0000225' }],
  })
  expect(await admin('GET', `/requests?key_id=${key}`)).toMatchObject({ data: [{ id: receipt }] })
  expect(await admin('GET', `/requests/${receipt}`)).toMatchObject({ kind: 'receipt', model: MODEL })

  const rotated = await admin('POST', `/keys/${key}/rotate`, {})
  expect(rotated).toMatchObject({ http: 201, requests_per_day: 7, previous: { id: key } })
  const successor = rotated['id'] as string
  expect(await admin('DELETE', `/keys/${successor}`)).toEqual({ http: 204 })
  expect((await world.request('GET', '/v1/key', undefined, headers)).status).toBe(401)
})

test('an operator names an admin token, sees its use and its revocation', async () => {
  const made = await admin('POST', '/tokens', { name: 'deploy' })
  expect(made).toMatchObject({ http: 201, name: 'deploy' })
  const id = made['id'] as string
  expect(await admin('DELETE', `/tokens/${id}`)).toMatchObject({ http: 200 })
  expect(await admin('GET', '/tokens')).toMatchObject({ data: [{ id, status: 'revoked' }] })
  const { data } = await admin('GET', `/audit?subject=${id}`)
  const [entry] = data as { id: string; action: string }[]
  expect(entry).toMatchObject({ action: 'token.revoke' })
  expect(await admin('GET', `/audit/${entry?.id}`)).toMatchObject({ id: entry?.id, subject: id })
})

test('an operator sees the models and the providers', async () => {
  expect(await admin('GET', '/models')).toMatchObject({ http: 200, data: [{ id: MODEL }] })
  expect(await admin('GET', '/providers')).toMatchObject({ http: 200, data: [{ id: 'acme' }] })
})
