import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type AdminWorld, createAdminWorld } from '../../test/support/adminWorld.ts'
import { settingsOf } from '../../test/support/settings.ts'
import { createLocalOperations } from '../operations/localOperations.ts'
import { firstStart } from './firstStart.ts'
import { storedFacts } from './storedFacts.ts'

const BUILT_IN = settingsOf(undefined)
const CLOSED = { server: { adminToken: undefined } }

let world: AdminWorld
beforeEach(async () => (world = await createAdminWorld({ models: () => BUILT_IN.models })))
afterEach(() => world.close())

test('the first start in an empty store makes a workspace with a balance and one key for the demo', async () => {
  const { deps, store } = world
  expect(await storedFacts(store, CLOSED)).toMatchObject({ hasWorkspaces: false })
  const key = await firstStart(deps, BUILT_IN)
  expect(key).toMatchObject({ balanceUsd: '10.00', model: 'demo/chat' })
  expect(await storedFacts(store, CLOSED)).toMatchObject({ hasWorkspaces: true })
  const [workspace, ...others] = (await createLocalOperations(deps).workspaces({})).data
  expect(others).toEqual([])
  expect(workspace).toMatchObject({ name: 'demo', balance_usd: '10.00', models: ['demo/chat'] })
  expect(await firstStart(deps, BUILT_IN)).toBeUndefined()
})

test('the key of the first start may use the demo alone, whatever the environment opens', async () => {
  const settings = settingsOf(undefined, { env: { OPENAI_API_KEY: 'sk-real' } })
  expect(settings.models.map(({ id }) => id)).toContain('openai/gpt-5-mini')
  expect(await firstStart(world.deps, settings)).toMatchObject({ model: 'demo/chat' })
  const [workspace] = (await createLocalOperations(world.deps).workspaces({})).data
  expect(workspace?.models).toEqual(['demo/chat'])
})

test('where the demo serves nothing, the first start makes nothing', async () => {
  const settings = settingsOf(
    'providers: { openai: { api_key: sk-real }, demo: {} }\nmodels: [openai/gpt-5-mini]',
  )
  expect(await firstStart(world.deps, settings)).toBeUndefined()
  expect(await storedFacts(world.store, CLOSED)).toMatchObject({ hasWorkspaces: false })
})

test('the admin API is closed until there is a token, in the configuration or with a name, that is in force', async () => {
  const { deps, store } = world
  const closed = async (adminToken?: string) =>
    (await storedFacts(store, { server: { adminToken } })).adminClosed
  const operations = createLocalOperations(deps)
  expect([await closed(), await closed('kf83hsk20dk4mfh5')]).toEqual([true, false])
  const { id } = await operations.createAdminToken({ name: 'ops' })
  expect(await closed()).toBe(false)
  await operations.revokeAdminToken(id)
  expect(await closed()).toBe(true)
})
