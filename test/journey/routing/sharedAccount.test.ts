import { expect, test } from 'bun:test'
import { isJsonObject } from '../../../src/core/json.ts'
import { errorOf } from '../../support/readAnswer.ts'
import { answers } from '../../support/scriptedProvider.ts'
import { type RoutingWorld, startRoutingWorld } from './routingWorld.ts'

const HELLO = answers({ pieces: ['Hello'] })
const IDS = {
  user: 'anna',
  prompt_cache_key: 'chat-7',
  safety_identifier: 'anna',
  metadata: { user_id: 'anna', trace: 'x' },
}
const WITH_FILE = {
  max_tokens: 20,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Read it.' },
        { type: 'file', file: { file_id: 'file-1' } },
      ],
    },
  ],
}

/** What the provider got as the last request. */
async function lastSent(world: RoutingWorld): Promise<Record<string, unknown>> {
  const scripted = world.provider('first')
  const { body } = await scripted.request(scripted.requests.length - 1)
  if (!isJsonObject(body)) throw new Error('the gateway sent no JSON object')
  return body
}

test('the same name of a user or of a cache is another for another workspace, and never the name itself', async () => {
  await using world = await startRoutingWorld({ providers: { first: HELLO } })
  const other = await world.another('other')
  expect((await world.chat({ max_tokens: 20, ...IDS })).status).toBe(200)
  const ours = await lastSent(world)
  expect((await world.chat({ max_tokens: 20, ...IDS })).status).toBe(200)
  const again = await lastSent(world)
  expect((await other.chat({ max_tokens: 20, ...IDS })).status).toBe(200)
  const theirs = await lastSent(world)
  for (const name of ['user', 'prompt_cache_key', 'safety_identifier'] as const) {
    expect(ours[name]).toEndWith(`-${IDS[name]}`)
    expect(again[name]).toBe(ours[name])
    expect(theirs[name]).not.toBe(ours[name])
  }
  expect(ours['metadata']).toMatchObject({ trace: 'x' })
  expect(ours['metadata']).not.toEqual(theirs['metadata'])
})

test('the receipt has the name that the caller gave', async () => {
  await using world = await startRoutingWorld({ providers: { first: HELLO } })
  expect((await world.receiptOf(await world.chat({ max_tokens: 20, user: 'anna' }))).user).toBe('anna')
})

test("what names a file in the operator's account is a 400, and nothing is sent or charged", async () => {
  await using world = await startRoutingWorld({ providers: { first: HELLO } })
  const response = await world.chat(WITH_FILE)
  expect(response.status).toBe(400)
  expect(await errorOf(response)).toMatchObject({
    code: 'invalid_request',
    param: 'messages[0].content[1].file.file_id',
  })
  expect(world.counts()).toEqual({ first: 0 })
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
})

test('the operator may allow it, for all providers of the model', async () => {
  const allowed = { allow_account_names: true }
  await using world = await startRoutingWorld({ providers: { first: HELLO }, settings: { first: allowed } })
  expect((await world.chat(WITH_FILE)).status).toBe(200)
  expect(JSON.stringify((await lastSent(world))['messages'])).toContain('file-1')
  await using mixed = await startRoutingWorld({
    providers: { first: HELLO, second: HELLO },
    settings: { first: allowed },
  })
  expect((await mixed.chat(WITH_FILE)).status).toBe(400)
})
