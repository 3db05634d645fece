import { expect, test } from 'bun:test'
import { errorOf, rateOf } from '../support/readAnswer.ts'
import { standardModel, startWorld } from '../support/world.ts'

test.each([
  'nobody/knows',
  'ACME/chat-1',
  'acme/chat-1 ',
  'upstream-chat-1',
  '__proto__',
  'constructor',
  '\ud800',
])('the model %j does not exist', async (model) => {
  await using world = await startWorld()
  const response = await world.chat({ model })
  expect(response.status).toBe(404)
  expect(await errorOf(response)).toMatchObject({
    code: 'model_not_found',
    type: 'invalid_request_error',
    param: 'model',
  })
  expect(response.headers.get('x-request-id')).toStartWith('chatcmpl-')
  expect(response.headers.get('retry-after')).toBeNull()
  expect(rateOf(response)).toMatchObject({ limit: 60, remaining: 59 })
  expect(world.provider.requests).toHaveLength(0)
  expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup'])
})

test('a retired model does not exist from its day on, and the message names its successor', async () => {
  await using world = await startWorld({
    config: () => ({
      models: [
        standardModel({
          deprecated: { at: '2026-01-01', sunset: '2099-06-01' },
          retired: { at: '2099-06-01', successor: 'acme/chat-2' },
        }),
        standardModel({ id: 'acme/chat-2', aliases: [] }),
      ],
    }),
  })
  world.clock.set('2099-05-31T23:59:59.999Z')
  const last = await world.chat({ max_tokens: 5 })
  expect(last.status).toBe(200)
  expect(last.headers.get('sunset')).toBe('Mon, 01 Jun 2099 00:00:00 GMT')
  world.clock.set('2099-06-01T00:00:00Z')
  for (const model of ['acme/chat-1', 'acme/chat']) {
    const gone = await world.chat({ model, max_tokens: 5 })
    expect(gone.status).toBe(404)
    const error = await errorOf(gone)
    expect(error).toMatchObject({ code: 'model_not_found', param: 'model' })
    expect(error.message).toContain('acme/chat-2')
    expect(gone.headers.get('deprecation')).toBeNull()
  }
})

test('a long name is not echoed without end', async () => {
  await using world = await startWorld()
  const response = await world.chat({ model: 'x'.repeat(1_000_000) })
  expect(response.status).toBe(404)
  expect((await errorOf(response)).message.length).toBeLessThan(10_000)
})
