import { expect, spyOn, test } from 'bun:test'
import {
  APIError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai'
import { StoreUnavailable } from '../../../src/core/ports/till.ts'
import { checkedFetch } from '../../support/checkedFetch.ts'
import {
  createGate,
  inTurn,
  openaiChunk,
  openaiError,
  refuse,
  stream,
  streams,
  type Script,
} from '../../support/scriptedProvider.ts'
import {
  MODEL,
  standardConfig,
  standardModel,
  startWorld,
  type World,
  type WorldOptions,
} from '../../support/world.ts'
import { failureOf, openaiClient } from './client.ts'

const MESSAGES = [{ role: 'user' as const, content: 'Say hello' }]
const REQUEST = { model: MODEL, messages: MESSAGES, max_tokens: 20 }

interface ErrorCase {
  /** What goes wrong. */
  readonly what: string
  readonly world?: WorldOptions
  /** Before the call that fails. */
  readonly before?: (world: World) => unknown
  readonly request?: object
  readonly headers?: Record<string, string>
  readonly apiKey?: string
  readonly as: new (...given: never[]) => Error
  readonly status: number
  readonly code: string
  readonly type: string
  readonly param?: string
  readonly retryAfter?: string | RegExp
}

const failing = (provider: Script): WorldOptions => ({ provider })

const CASES: readonly ErrorCase[] = [
  {
    what: 'an unknown key',
    apiKey: `tg_${'x'.repeat(43)}`,
    as: AuthenticationError,
    status: 401,
    code: 'invalid_api_key',
    type: 'authentication_error',
  },
  {
    what: 'an empty balance',
    world: { balance: '0' },
    as: APIError,
    status: 402,
    code: 'insufficient_balance',
    type: 'payment_error',
  },
  {
    what: 'a used up spend limit of the key',
    world: { key: { monthly_spend_usd: '0.000001' } },
    as: APIError,
    status: 402,
    code: 'spend_limit_exceeded',
    type: 'payment_error',
  },
  {
    what: 'a model of others',
    world: {
      workspace: { models: ['acme/chat-2'] },
      config: () => ({ models: [standardModel(), standardModel({ id: 'acme/chat-2', aliases: [] })] }),
    },
    as: PermissionDeniedError,
    status: 403,
    code: 'model_not_accessible',
    type: 'permission_error',
    param: 'model',
  },
  {
    what: 'an unknown model',
    request: { model: 'nobody/nothing' },
    as: NotFoundError,
    status: 404,
    code: 'model_not_found',
    type: 'invalid_request_error',
    param: 'model',
  },
  {
    what: 'a value out of range',
    request: { temperature: 3 },
    as: BadRequestError,
    status: 400,
    code: 'invalid_request',
    type: 'invalid_request_error',
    param: 'temperature',
  },
  {
    what: 'a nested mistake',
    request: {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 7 },
      ],
    },
    as: BadRequestError,
    status: 400,
    code: 'invalid_request',
    type: 'invalid_request_error',
    param: 'messages[1].content',
  },
  {
    what: "a request that the provider's model cannot take",
    world: failing(openaiError(400, { param: 'stop', code: 'unsupported_parameter' })),
    request: { stop: 'x' },
    as: BadRequestError,
    status: 400,
    code: 'invalid_request',
    type: 'invalid_request_error',
    param: 'stop',
  },
  {
    what: 'an Idempotency-Key used for another body',
    before: (world) => world.chat({ max_tokens: 1 }, { 'idempotency-key': 'k' }).then((r) => r.text()),
    headers: { 'idempotency-key': 'k' },
    as: ConflictError,
    status: 409,
    code: 'idempotency_conflict',
    type: 'invalid_request_error',
  },
  {
    what: 'a body that is too large',
    world: { config: () => ({ server: { max_body_bytes: 1000 } }) },
    request: { messages: [{ role: 'user', content: 'x'.repeat(2000) }] },
    as: APIError,
    status: 413,
    code: 'request_too_large',
    type: 'invalid_request_error',
  },
  {
    what: 'a used up rate limit',
    world: { workspace: { requests_per_minute: 1 } },
    before: (world) => world.chat({ max_tokens: 1 }).then((r) => r.text()),
    as: RateLimitError,
    status: 429,
    code: 'rate_limit_exceeded',
    type: 'rate_limit_error',
    retryAfter: /^([1-9]|[1-5]\d|60)$/,
  },
  {
    what: 'a bug of ours',
    before: (world) => spyOn(world.gateway.store.till, 'admit').mockRejectedValueOnce(new Error('planted')),
    as: InternalServerError,
    status: 500,
    code: 'internal_error',
    type: 'server_error',
  },
  {
    what: 'a provider that cannot be reached',
    world: { config: (provider) => withBaseUrl(provider, `${refuse()}/v1`) },
    as: InternalServerError,
    status: 502,
    code: 'upstream_error',
    type: 'upstream_error',
  },
  {
    what: "a provider that refuses our key, which is not the caller's",
    world: failing(openaiError(401, { code: 'invalid_api_key' })),
    as: InternalServerError,
    status: 502,
    code: 'upstream_error',
    type: 'upstream_error',
  },
  {
    what: "a provider that wants our money, which is not the caller's",
    world: failing(openaiError(402)),
    as: InternalServerError,
    status: 502,
    code: 'upstream_error',
    type: 'upstream_error',
  },
  {
    what: 'a provider that limits our rate',
    world: failing(openaiError(429, {}, { 'retry-after': '7' })),
    as: InternalServerError,
    status: 503,
    code: 'service_unavailable',
    type: 'service_unavailable',
    retryAfter: '7',
  },
  {
    what: 'a store that is away',
    before: (world) =>
      spyOn(world.gateway.store.till, 'admit').mockRejectedValueOnce(new StoreUnavailable('planted')),
    as: InternalServerError,
    status: 503,
    code: 'service_unavailable',
    type: 'service_unavailable',
    retryAfter: /^[1-9]\d*$/,
  },
]

for (const { what, as, status, code, type, param = null, ...given } of CASES) {
  for (const streamed of [false, true]) {
    const how = streamed ? 'a streamed request' : 'a request'
    test(`${what} reaches the client of ${how} as ${as.name} with status ${status} and code ${code}`, async () => {
      await using world = await startWorld(given.world)
      await given.before?.(world)
      const client = openaiClient(world, { ...(given.apiKey !== undefined && { apiKey: given.apiKey }) })
      const request = { ...REQUEST, stream: streamed, ...given.request }
      const error = await failureOf(client.chat.completions.create(request, { headers: given.headers }))
      if (!(error instanceof APIError)) throw new Error(`no APIError: ${String(error)}`)
      expect(error.constructor).toBe(as)
      expect(error).toMatchObject({ status, code, type, param })
      expect(error.requestID).toMatch(/^chatcmpl-[0-9A-Z]{26}$/)
      expect(error.message).toStartWith(`${status} `)
      const retryAfter = (error.headers as Headers).get('retry-after') ?? ''
      if (given.retryAfter === undefined) expect(retryAfter).toBe('')
      else expect(retryAfter).toMatch(given.retryAfter)
      await world.settled()
      expect((await world.balance()).held).toBe('0.00')
    })
  }
}

test('an error in mid-stream is thrown by the iterator, after what had come', async () => {
  const error = { error: { message: 'secret words of the provider', code: 500 } }
  const provider = stream([
    openaiChunk({ role: 'assistant', content: '' }),
    openaiChunk({ content: 'Hello' }),
    error,
  ])
  await using world = await startWorld({ provider })
  const answer = await openaiClient(world).chat.completions.create({ ...REQUEST, stream: true })
  let text = ''
  const finishes: unknown[] = []
  const failure = await failureOf(
    (async () => {
      for await (const { choices } of answer) {
        text += choices[0]?.delta.content ?? ''
        finishes.push(
          ...choices.map(({ finish_reason: reason }) => reason).filter((reason) => reason !== null),
        )
      }
    })(),
  )
  expect(text).toBe('Hello')
  expect(finishes).toEqual([])
  if (!(failure instanceof APIError)) throw new Error(`no APIError: ${String(failure)}`)
  expect(failure).toMatchObject({ code: 'upstream_error', type: 'upstream_error', param: null })
  expect(failure.message).not.toContain('secret words')
})

test('an answer that was cut is an error to the client, and never a short answer', async () => {
  const provider = stream([
    openaiChunk({ role: 'assistant', content: '' }),
    openaiChunk({ content: 'Hello' }),
  ])
  await using world = await startWorld({ provider })
  const client = openaiClient(world)
  const failure = await failureOf(client.chat.completions.stream(REQUEST).finalChatCompletion())
  expect(failure).toBeInstanceOf(APIError)
  expect(
    await failureOf(client.chat.completions.create({ model: MODEL, messages: MESSAGES })),
  ).toBeInstanceOf(InternalServerError)
  await world.settled()
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
})

test("the client's default retries get the answer, and only that one is charged", async () => {
  // Our own second try is used up by the first request; the client's retry succeeds.
  const provider = inTurn(openaiError(500), openaiError(500), streams('Hello', ' world'))
  await using world = await startWorld({ provider })
  const client = openaiClient(world, { maxRetries: 2 })
  const completion = await client.chat.completions.create(REQUEST)
  expect(completion.choices[0]?.message.content).toBe('Hello world')
  await world.settled()
  const kinds = (await world.ledger()).map(({ kind }) => kind)
  expect(kinds).toEqual(['topup', 'hold', 'release', 'hold', 'release', 'charge'])
  expect((await world.ledger()).at(-1)?.amount_usd).toBe('0.0000225')
})

test('retries with an Idempotency-Key do not charge twice though each of them succeeds', async () => {
  await using world = await startWorld()
  const client = openaiClient(world, { maxRetries: 2 })
  const options = { headers: { 'idempotency-key': 'one-purchase' } }
  const first = await client.chat.completions.create(REQUEST, options)
  const second = await client.chat.completions.create(REQUEST, options)
  expect(second).toEqual(first)
  await world.settled()
  expect((await world.ledger()).filter(({ kind }) => kind === 'charge')).toHaveLength(1)
})

test.each([
  ['an empty balance', { max_tokens: 1_000_000 }],
  ['an unknown model', { model: 'nobody/nothing' }],
  // The client would repeat any 409.
  ['a conflict', { max_tokens: 21 }],
])('%s is not retried by the client: a retry cannot help', async (_, change) => {
  await using world = await startWorld({ balance: '0.001' })
  const headers = { 'idempotency-key': 'k' }
  const client = openaiClient(world, { maxRetries: 2 })
  await client.chat.completions.create(REQUEST, { headers })
  await failureOf(client.chat.completions.create({ ...REQUEST, ...change }, { headers }))
  const response = await world.request('GET', '/v1/models')
  // The first request, the one that was refused, and this one.
  expect(response.headers.get('x-ratelimit-remaining')).toBe('57')
})

test('a balance that only other calls hold is waited for by the client', async () => {
  const gate = createGate()
  await using world = await startWorld({
    balance: '0.002',
    provider: inTurn(streams('Hello', gate), streams('Hello', ' world')),
  })
  const long = { ...REQUEST, max_tokens: 1000 }
  const first = await world.chat({ ...long, stream: true })
  await gate.reached
  const refusals: Response[] = []
  const client = openaiClient(world, {
    maxRetries: 2,
    async fetch(input, init) {
      const response = await checkedFetch(input, init)
      if (response.status !== 402) return response
      refusals.push(response)
      gate.open()
      await first.text()
      // The client would wait for five seconds, but the money is free now.
      const headers = new Headers(response.headers)
      headers.set('retry-after-ms', '1')
      return new Response(response.body, { status: response.status, headers })
    },
  })
  const completion = await client.chat.completions.create(long)
  expect(completion.choices[0]?.message.content).toBe('Hello world')
  expect(refusals.map(({ headers }) => headers.get('x-should-retry'))).toEqual(['true'])
})

test('a wait that is not worth an automatic retry is marked so', async () => {
  await using world = await startWorld({ key: { requests_per_day: 1 } })
  world.clock.set('2026-11-20T12:00:00Z')
  const client = openaiClient(world, { maxRetries: 2 })
  await client.models.list()
  const error = await failureOf(client.models.list())
  if (!(error instanceof RateLimitError)) throw new Error(`no RateLimitError: ${String(error)}`)
  expect(error.headers.get('retry-after')).toBe(String(12 * 3600))
  expect(error.headers.get('x-should-retry')).toBe('false')
})

function withBaseUrl(provider: World['provider'], baseUrl: string): Record<string, unknown> {
  const config = standardConfig(provider)
  const { acme } = config['providers'] as { acme: object }
  return { ...config, providers: { acme: { ...acme, base_url: baseUrl } } }
}
