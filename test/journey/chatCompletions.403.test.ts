import { expect, test } from 'bun:test'
import { errorOf, rateOf } from '../support/readAnswer.ts'
import { MODEL, type World, type WorldOptions, standardModel, startWorld } from '../support/world.ts'

const OTHER = 'acme/chat-2'

function twoModels(options: WorldOptions): Promise<World> {
  return startWorld({
    config: () => ({ models: [standardModel(), standardModel({ id: OTHER, aliases: [] })] }),
    ...options,
  })
}

test.each<[string, WorldOptions]>([
  ['the workspace', { workspace: { models: [MODEL] } }],
  ['the key', { key: { models: [MODEL] } }],
  ['the key, though not the workspace', { workspace: { models: [MODEL, OTHER] }, key: { models: [MODEL] } }],
  ['the workspace, though not the key', { workspace: { models: [MODEL] }, key: { models: [MODEL, OTHER] } }],
])('a model outside the list of %s is 403, one inside is answered', async (_, options) => {
  await using world = await twoModels(options)
  const response = await world.chat({ model: OTHER, max_tokens: 5 })
  expect(response.status).toBe(403)
  expect(await errorOf(response)).toMatchObject({
    code: 'model_not_accessible',
    type: 'permission_error',
    param: 'model',
  })
  expect(response.headers.get('x-request-id')).toStartWith('chatcmpl-')
  expect(rateOf(response)).toMatchObject({ limit: 60, remaining: 59 })
  expect(world.provider.requests).toHaveLength(0)
  expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup'])

  for (const model of [MODEL, 'acme/chat']) {
    expect((await world.chat({ model, max_tokens: 5 })).status).toBe(200)
  }
})

test('an alias of a model outside the list is 403 too', async () => {
  await using world = await twoModels({ key: { models: [OTHER] } })
  for (const model of [MODEL, 'acme/chat']) {
    const response = await world.chat({ model, max_tokens: 5 })
    expect(response.status).toBe(403)
    expect((await errorOf(response)).message).toContain(model)
  }
})

test('lists that share no model leave none', async () => {
  await using world = await twoModels({ workspace: { models: [MODEL] }, key: { models: [OTHER] } })
  for (const model of [MODEL, OTHER]) expect((await world.chat({ model })).status).toBe(403)
  expect(await (await world.request('GET', '/v1/models')).json()).toEqual({ object: 'list', data: [] })
})

test('a list that is lifted takes effect with the next request', async () => {
  await using world = await twoModels({ key: { models: [OTHER] } })
  expect((await world.chat({ max_tokens: 5 })).status).toBe(403)
  await world.operations.updateKey(world.keyId, { models: null })
  expect((await world.chat({ max_tokens: 5 })).status).toBe(200)
})

test('a fallback outside the list is 403 like the model itself', async () => {
  await using world = await twoModels({ key: { models: [MODEL] } })
  const response = await world.chat({ models: [OTHER], max_tokens: 5 })
  expect(response.status).toBe(403)
  expect(await errorOf(response)).toMatchObject({ code: 'model_not_accessible', param: 'models[0]' })
})
