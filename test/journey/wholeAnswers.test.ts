import { expect, test } from 'bun:test'
import { type Json, isJsonObject } from '../../src/core/json.ts'
import { WHOLE_OUTPUT_TOKENS_MAX } from '../../src/pipeline/admit/holdTerms.ts'
import { jsonOf } from '../support/readAnswer.ts'
import { answers, inOrder, pause } from '../support/scriptedProvider.ts'
import { standardConfig, standardModel, startWorld, type World } from '../support/world.ts'

const SLOW_MS = 400

/** A provider that streams or answers, and needs longer for it than a first event may take. */
function startSlowWorld(timeouts: Record<string, string>, change = {}): Promise<World> {
  return startWorld({
    provider: inOrder(pause(SLOW_MS), answers({ pieces: ['Hello'] })),
    config: (provider) => {
      const { acme } = standardConfig(provider)['providers'] as { acme: object }
      return {
        providers: { acme: { ...acme, timeouts } },
        models: [standardModel({ max_output_tokens: 2 * WHOLE_OUTPUT_TOKENS_MAX, ...change })],
      }
    },
  })
}

function askedForStream(world: World, call: number): boolean {
  const body: Json | undefined = world.provider.requests[call]?.body
  return isJsonObject(body) && body.stream === true
}

test('an answer that is asked whole may take longer than the first event of a stream', async () => {
  await using world = await startSlowWorld({ first_event: '150ms', whole: '20s' })
  const response = await world.chat({ max_tokens: 100 })
  expect([response.status, await jsonOf(response)]).toMatchObject([
    200,
    { choices: [{ message: { content: 'Hello' } }] },
  ])
  expect(askedForStream(world, 0)).toBe(false)
  expect((await world.chat({ max_tokens: 100, stream: true })).status).toBe(502)
})

test('an answer that is asked whole is given up after a time of its own', async () => {
  await using world = await startSlowWorld({ first_event: '20s', whole: '150ms' })
  expect((await world.chat({ max_tokens: 100 })).status).toBe(502)
  expect((await world.chat({ max_tokens: 100, stream: true })).status).toBe(200)
})

test.each([
  [WHOLE_OUTPUT_TOKENS_MAX, false],
  [WHOLE_OUTPUT_TOKENS_MAX + 1, true],
  [undefined, true],
] as const)(
  'a caller that wants a whole answer of at most %p tokens makes the gateway ask for a stream: %p',
  async (max_tokens, stream) => {
    await using world = await startSlowWorld({ whole: '20s' })
    expect((await world.chat(max_tokens === undefined ? {} : { max_tokens })).status).toBe(200)
    expect(askedForStream(world, 0)).toBe(stream)
  },
)

test('a model that reasons out of sight may be silent before it says something, and no longer after that', async () => {
  await using world = await startSlowWorld({}, { hidden_reasoning: 'always' })
  const { timeouts } = world.settings.providers.get('acme') ?? {}
  expect(timeouts?.patient.idleMs).toBeGreaterThan(timeouts?.usual.idleMs ?? Infinity)
  expect((await world.chat({ stream: true })).status).toBe(200)
})

test.each([
  ['logprobs', { logprobs: true, stream: true }, false],
  ['logprobs', { stream: true }, true],
  ['usage', { max_tokens: WHOLE_OUTPUT_TOKENS_MAX + 1 }, false],
] as const)(
  'where streams lack %s, a request with %j is streamed from the provider: %p',
  async (lacks, body, stream) => {
    await using world = await startWorld({
      provider: answers({ pieces: ['Hello'] }),
      config: (provider) => {
        const { acme } = standardConfig(provider)['providers'] as { acme: object }
        return {
          providers: { acme: { ...acme, quirks: { stream_lacks: [lacks] } } },
          models: [standardModel({ max_output_tokens: 2 * WHOLE_OUTPUT_TOKENS_MAX })],
        }
      },
    })
    const response = await world.chat(body)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Hello')
    expect(askedForStream(world, 0)).toBe(stream)
  },
)
