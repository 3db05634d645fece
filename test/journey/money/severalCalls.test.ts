import { describe, expect, test } from 'bun:test'
import { isJsonObject } from '../../../src/core/json.ts'
import { jsonOf } from '../../support/readAnswer.ts'
import {
  type Act,
  type RecordedRequest,
  type Script,
  type ScriptedProvider,
  close,
  hang,
  openaiChunk,
  openaiCompletion,
  openaiError,
  openaiUsage,
  openaiUsageChunk,
  respond,
  sse,
  stream,
} from '../../support/scriptedProvider.ts'
import { type World, standardConfig, startWorld } from '../../support/world.ts'
import {
  cost,
  expectChargedOnce,
  expectLinesExplainCharge,
  onlyReceipt,
  openStream,
  startRequest,
} from './purse.ts'

// Completions whose choices are made by several calls. The number of calls is the caller's choice, and with it how many are
// paid for, refused or under way when the answer ends.

function withoutN(provider: ScriptedProvider): Record<string, unknown> {
  const { providers } = standardConfig(provider) as { providers: { acme: object } }
  return {
    ...standardConfig(provider),
    providers: { acme: { ...providers.acme, quirks: { supports_n: false } } },
  }
}

const HELLO = openaiChunk({ role: 'assistant', content: 'Hello' })

/** One choice, however many were asked for: 12 output tokens. */
function oneChoice(promptTokens = 9): (request: RecordedRequest) => Act {
  const usage = openaiUsage(promptTokens, 12)
  return ({ body }) =>
    isJsonObject(body) && body['stream'] === true
      ? stream([
          HELLO,
          openaiChunk({ content: ' world' }),
          openaiChunk({}, { finishReason: 'stop' }),
          openaiUsageChunk(usage),
          sse('[DONE]'),
        ])
      : respond({ body: openaiCompletion('Hello world', { usage }) })
}

/** The first call is answered, so many say "Hello" and hang, and the next meets this. */
function after(hanging: number, next: Act): Script {
  return (request, ordinal) => {
    if (ordinal === 0) return oneChoice()(request)
    return ordinal <= hanging ? stream([HELLO, hang()]) : next
  }
}

const FAILURES: readonly [string, next: Act, hasPrompt: boolean][] = [
  ['a rate limit that lasts', openaiError(429, {}, { 'retry-after': '60' }), false],
  ['a failure of the provider', openaiError(500), false],
  ['a cut', stream([HELLO, close()]), true],
]

describe('of a stream whose later call fails, what was delivered is charged', () => {
  test.each(FAILURES)('parallel calls: %s', async (_, next, hasPrompt) => {
    await using world = await startWorld({ provider: after(7, next), config: withoutN })
    await expectChargedAsDelivered(world, 10, { prompts: hasPrompt ? 9 : 8, source: 'estimated' })
  })

  test.each(FAILURES)('further calls: %s', async (_, next, hasPrompt) => {
    await using world = await startWorld({ provider: after(0, next) })
    const prompts = hasPrompt ? 2 : 1
    await expectChargedAsDelivered(world, 2, { prompts, source: hasPrompt ? 'estimated' : 'reported' })
  })

  async function expectChargedAsDelivered(
    world: World,
    n: number,
    { prompts, source }: { readonly prompts: number; readonly source: string },
  ): Promise<void> {
    const text = await (await openStream(world, { n })).rest()
    expect(text).toContain('What was generated until then is charged.')
    expect(text).not.toContain('[DONE]')
    await world.settled()
    const receipt = await onlyReceipt(world)
    expect(receipt).toMatchObject({
      ending: 'request_at_fault',
      // As reported by the first call, or as counted of all where that is more.
      usage: { prompt_tokens: Math.max(9, 4 * prompts), completion_tokens: 12, source },
    })
    expectLinesExplainCharge(receipt)
    await expectChargedOnce(world, receipt.charge_usd)
  }
})

describe('choices that the money does not pay for end with `length`, and the first is charged', () => {
  const PROMPT = 20_000
  const messages = [{ role: 'user', content: 'word '.repeat(PROMPT) }]
  /** One prompt costs 0.01. */
  const POOR = [
    ['the balance', { balance: '0.025' }],
    ["the key's month", { key: { monthly_spend_usd: '0.025' } }],
  ] as const
  const FORMS = [
    ['whole', { max_tokens: 20 }],
    ['gathered', {}],
    ['streamed', { max_tokens: 20, stream: true }],
  ] as const
  test.each(
    POOR.flatMap(([money, options]) => FORMS.map(([form, body]) => [money, form, options, body] as const)),
  )('%s, %s', async (_, form, options, body) => {
    await using world = await startWorld({ provider: oneChoice(PROMPT), ...options })
    const response = await world.chat({ messages, n: 3, ...body })
    expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([200, ''])
    if (form === 'streamed') {
      const text = await response.text()
      expect(text).toContain('[DONE]')
      expect(text.match(/"finish_reason":"length"/g)).toHaveLength(2)
    } else {
      expect((await jsonOf(response))['choices']).toMatchObject([
        { message: { content: 'Hello world' }, finish_reason: 'stop' },
        { index: 1, message: { content: '' }, finish_reason: 'length' },
        { index: 2, message: { content: '' }, finish_reason: 'length' },
      ])
    }
    await world.settled()
    expect(await onlyReceipt(world)).toMatchObject({ ending: 'hold_exhausted', charge_usd: cost(PROMPT, 12) })
    expect(world.provider.requests).toHaveLength(1)
    const metrics = await (await fetch(`${world.url}/metrics`)).text()
    expect(metrics.match(/upstream_failures_total\{.*\} [1-9]/)).toBeNull()
  })
})

describe('who leaves a completion pays for the choices that were answered, as reported', () => {
  const SOME: Script = (request, ordinal) => (ordinal < 4 ? oneChoice()(request) : hang())

  test('parallel calls, asked whole', async () => {
    await using world = await startWorld({ provider: SOME, config: withoutN })
    const { leave, outcome } = startRequest(world, { n: 20, max_tokens: 20 })
    await world.provider.until(({ requests }) => requests.length === 12)
    leave()
    expect(await outcome).toBe('left')
    await world.settled()
    expect(await onlyReceipt(world)).toMatchObject({
      ending: 'client_left_before_answer',
      usage: { prompt_tokens: 12 * 4, completion_tokens: 4 * 12 },
    })
  })

  test('further calls, asked whole', async () => {
    await using world = await startWorld({
      provider: (request, ordinal) => (ordinal === 0 ? oneChoice()(request) : hang()),
    })
    const { leave, outcome } = startRequest(world, { n: 3, max_tokens: 20 })
    await world.provider.until(({ requests }) => requests.length === 3)
    leave()
    expect(await outcome).toBe('left')
    await world.settled()
    expect(await onlyReceipt(world)).toMatchObject({
      ending: 'client_left_before_answer',
      usage: { prompt_tokens: 3 * 4, completion_tokens: 12 },
    })
  })

  test('further calls, streamed, while they are made', async () => {
    await using world = await startWorld({
      provider: (request, ordinal) => (ordinal === 0 ? oneChoice()(request) : hang()),
    })
    const caller = await openStream(world, { n: 8 })
    await caller.until(' world')
    await world.provider.until(({ requests }) => requests.length === 8)
    caller.leave()
    await world.settled()
    expect(await onlyReceipt(world)).toMatchObject({
      ending: 'client_left',
      usage: { prompt_tokens: 8 * 4, completion_tokens: 12, source: 'estimated' },
    })
  })

  test('further calls, streamed, of which some have answered', async () => {
    await using world = await startWorld({ provider: SOME })
    const caller = await openStream(world, { n: 8 })
    await world.provider.until(({ requests }) => requests.length === 8)
    while (caller.text().split(' world').length <= 4) await caller.until(`${caller.text()}data`)
    caller.leave()
    await world.settled()
    expect(await onlyReceipt(world)).toMatchObject({
      ending: 'client_left',
      usage: { prompt_tokens: Math.max(4 * 9, 8 * 4), completion_tokens: 4 * 12, source: 'estimated' },
    })
  })

  const closing = stream([
    HELLO,
    openaiChunk({ content: ' world' }),
    openaiChunk({}, { finishReason: 'stop' }),
    openaiUsageChunk(openaiUsage(9, 12)),
    sse('[DONE]'),
    close(),
  ])

  test.each([
    ['gathered', {}],
    ['streamed', { stream: true }],
  ])('parallel calls of which one says nothing, %s', async (_, body) => {
    await using world = await startWorld({
      provider: (_, ordinal) => (ordinal < 3 ? closing : hang()),
      config: withoutN,
    })
    const { leave, outcome } = startRequest(world, { n: 4, ...body })
    // The gateway has read the three answers to their ends.
    await world.provider.until(
      ({ requests, connectionsOpen }) => requests.length === 4 && connectionsOpen === 1,
    )
    leave()
    expect(await outcome).toBe('left')
    await world.settled()
    expect(await onlyReceipt(world)).toMatchObject({
      ending: 'client_left_before_answer',
      usage: { prompt_tokens: Math.max(3 * 9, 4 * 4), completion_tokens: 3 * 12, source: 'estimated' },
    })
  })

  test('parallel calls, streamed', async () => {
    await using world = await startWorld({
      provider: (request, ordinal) => (ordinal < 4 ? oneChoice()(request) : stream([HELLO, hang()])),
      config: withoutN,
    })
    const caller = await openStream(world, { n: 8 })
    await caller.until('Hello')
    await world.provider.until(({ requests }) => requests.length === 8)
    while (caller.text().split(' world').length <= 4) await caller.until(`${caller.text()}data`)
    caller.leave()
    await world.settled()
    expect(await onlyReceipt(world)).toMatchObject({
      ending: 'client_left',
      usage: { prompt_tokens: 9 * 4, completion_tokens: 4 * 12 },
    })
  })
})
