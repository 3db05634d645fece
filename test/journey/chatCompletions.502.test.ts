import { expect, test } from 'bun:test'
import { errorOf, jsonOf, rateOf } from '../support/readAnswer.ts'
import {
  type Act,
  type ScriptedProvider,
  close,
  hang,
  inTurn,
  openaiError,
  refuse,
  reset,
  respond,
  sse,
  stream,
  streams,
} from '../support/scriptedProvider.ts'
import { standardConfig, standardModel, startWorld } from '../support/world.ts'
import { receiptOf } from '../support/receiptOf.ts'

const SECRETS = 'org-Acme123 sk-live-0123456789abcdef https://provider.internal/v1 quota of Acme Inc'

const FAILURES: [string, Act][] = [
  ['refuses our credential (401)', openaiError(401, { message: SECRETS, code: 'invalid_api_key' })],
  ['refuses our credential (403)', openaiError(403, { message: SECRETS })],
  ['wants to be paid (402)', openaiError(402, { message: SECRETS, code: 'insufficient_quota' })],
  ['has no quota left for us', openaiError(429, { message: SECRETS, code: 'insufficient_quota' })],
  ['does not know its model', openaiError(404, { message: SECRETS, code: 'model_not_found' })],
  ['fails', openaiError(500, { message: SECRETS })],
  ['has a bad gateway', respond({ status: 502, body: `<html>${SECRETS}</html>` })],
  [
    'answers with HTML',
    respond({ headers: { 'content-type': 'text/html' }, body: `<html>${SECRETS}</html>` }),
  ],
  ['answers with broken JSON', respond({ headers: { 'content-type': 'application/json' }, body: '{"id":' })],
  ['answers with an empty body', respond({ body: '' })],
  ['answers with an error in a 200', respond({ body: { error: { message: SECRETS, code: 500 } } })],
  ['answers without a choice', respond({ body: { id: 'x', object: 'chat.completion', choices: [] } })],
  ['resets the connection', reset()],
  ['closes the connection', close()],
  ['redirects', respond({ status: 302, headers: { location: 'http://127.0.0.1:1/' } })],
  ['streams an error first', stream([sse({ error: { message: SECRETS, type: 'server_error' } })])],
  ['streams nothing', stream([])],
]

test.each(FAILURES)('a provider that %s is a 502 in our words, and free', async (_, provider) => {
  await using world = await startWorld({ provider })
  for (const body of [{ max_tokens: 20 }, {}, { stream: true }]) {
    const response = await world.chat(body)
    expect(response.status).toBe(502)
    const error = await errorOf(response)
    expect(error).toMatchObject({ code: 'upstream_error', type: 'upstream_error', param: null })
    for (const word of ['Acme', 'sk-live', 'provider.internal', 'quota'])
      expect(error.message).not.toContain(word)
    expect(response.headers.get('x-request-id')).toStartWith('chatcmpl-')
    expect(rateOf(response).limit).toBe(60)
  }
  await world.settled()
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  expect((await world.ledger()).map(({ kind }) => kind)).not.toContain('charge')
})

test.each([{ max_tokens: 20 }, {}, { stream: true }])(
  'a provider that does not answer in time is a 502: %j',
  async (body) => {
    await using world = await startWorld({
      provider: hang(),
      config: (provider) => {
        const { providers } = standardConfig(provider) as { providers: { acme: object } }
        return {
          providers: { acme: { ...providers.acme, timeouts: { first_event: '100ms', whole: '100ms' } } },
        }
      },
    })
    const response = await world.chat(body)
    expect(response.status).toBe(502)
    expect(await errorOf(response)).toMatchObject({ code: 'upstream_error', type: 'upstream_error' })
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  },
)

test('a provider that nobody is at is a 502', async () => {
  const origin = refuse()
  await using world = await startWorld({
    config: () => ({ providers: { acme: { wire: 'openai-chat', base_url: `${origin}/v1`, api_key: 'x' } } }),
  })
  const response = await world.chat()
  expect(response.status).toBe(502)
  expect(await errorOf(response)).toMatchObject({ code: 'upstream_error' })
})

test('the receipt of a failed call stands under the id that the caller was told', async () => {
  await using world = await startWorld({ provider: openaiError(500, { message: SECRETS }) })
  const response = await world.chat()
  const id = response.headers.get('x-request-id') ?? ''
  await response.text()
  const receipt = await world.request('GET', `/v1/generation?id=${id}`)
  const body = await jsonOf(receipt)
  expect(body).toMatchObject({ id, status: 502, ending: 'provider_failed_before_answer', charge_usd: '0.00' })
  expect(JSON.stringify(body)).not.toContain('org-Acme123')
})

test('a failure is tried again before it is told', async () => {
  await using world = await startWorld({ provider: inTurn(openaiError(500), streams('at last')) })
  const response = await world.chat({ max_tokens: 20 })
  expect(response.status).toBe(200)
  expect(world.provider.requests).toHaveLength(2)
  expect((await world.ledger()).filter(({ kind }) => kind === 'charge')).toHaveLength(1)
})

test('another target answers in place of one that fails', async () => {
  await using world = await startWorld({
    provider: (request) =>
      JSON.stringify(request.body).includes('"one"') ? openaiError(404) : streams('from two'),
    config: (provider: ScriptedProvider) => ({
      ...standardConfig(provider),
      models: [
        standardModel({
          targets: [
            { provider: 'acme', model: 'one' },
            { provider: 'acme', model: 'two' },
          ],
        }),
      ],
    }),
  })
  const body = await jsonOf(await world.chat({ max_tokens: 20 }))
  expect(body['choices']).toMatchObject([{ message: { content: 'from two' } }])
})

test.each([
  ['eight targets that fail', 8, 1, openaiError(500)],
  ['ten keys that are refused', 1, 10, openaiError(401)],
  ['four targets with four keys that are out of quota', 4, 4, openaiError(402)],
] as const)('no request makes more than six attempts: %s', async (_, targets, keys, act) => {
  await using world = await startWorld({
    provider: act,
    config: (provider) => {
      const { acme } = standardConfig(provider)['providers'] as { acme: { wire: string; base_url: string } }
      const { wire, base_url } = acme
      const api_keys = Array.from({ length: keys }, (_key, i) => `key-${i}`)
      return {
        providers: { acme: { wire, base_url, api_keys } },
        models: [
          standardModel({
            targets: Array.from({ length: targets }, (_target, i) => ({ provider: 'acme', model: `m${i}` })),
          }),
        ],
      }
    },
  })
  const response = await world.chat({ max_tokens: 20 })
  expect(await errorOf(response)).toMatchObject({ code: 'upstream_error' })
  expect(world.provider.requests.length).toBeGreaterThan(1)
  expect(world.provider.requests.length).toBeLessThanOrEqual(6)
  const receipt = await receiptOf(world.operations, response.headers.get('x-request-id') ?? '')
  expect(receipt.attempts).toHaveLength(world.provider.requests.length)
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
})
