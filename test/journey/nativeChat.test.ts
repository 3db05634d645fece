import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { JsonObject } from '../../src/core/json.ts'
import {
  openaiChunk,
  openaiCompletion,
  openaiUsage,
  openaiUsageChunk,
  respond,
  stream,
} from '../support/scriptedProvider.ts'
import { type World, standardConfig, startWorld } from '../support/world.ts'

/** Callers and providers of chat completions: what no field of the gateway's models gets through. */

const BIG = '9223372036854775807'
const VENDOR = `{"deep":[1,{"of":"a vendor","n":${BIG}}]}`
const WITH_VENDOR = { vendor: 'VENDOR' }

/** With the vendor's value, whose integers no double holds, in each place that is kept for it. */
function filled(text: string): string {
  return text.replaceAll('"VENDOR"', VENDOR)
}

function startWith(
  provider: Parameters<typeof respond>[0] | readonly JsonObject[],
  allow?: readonly string[],
): Promise<World> {
  const frames = Array.isArray(provider) ? (provider as readonly JsonObject[]) : undefined
  return startWorld({
    provider: frames
      ? stream([...frames.map((frame) => filled(`data: ${JSON.stringify(frame)}\n\n`)), 'data: [DONE]\n\n'])
      : respond(provider as Parameters<typeof respond>[0]),
    config: (scripted) => {
      const { acme } = standardConfig(scripted)['providers'] as { acme: object }
      return { providers: { acme: { ...acme, ...(allow && { allow_fields: allow }) } } }
    },
  })
}

async function ask(world: World, body: object): Promise<{ response: Response; text: string }> {
  const response = await world.request(
    'POST',
    '/v1/chat/completions',
    filled(JSON.stringify({ model: 'acme/chat-1', messages: [{ role: 'user', content: 'Hi' }], ...body })),
  )
  return { response, text: await response.text() }
}

async function sentText(world: World): Promise<string> {
  return (await world.provider.request()).text
}

describe('of a request', () => {
  const NESTED = {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi', ...WITH_VENDOR }], ...WITH_VENDOR },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}', ...WITH_VENDOR } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'x', ...WITH_VENDOR },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'f', parameters: { type: 'object', ...WITH_VENDOR } },
        ...WITH_VENDOR,
      },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: WITH_VENDOR } },
  }

  test('whatever is nested reaches the provider, with all its digits', async () => {
    await using world = await startWith({ body: openaiCompletion('Hello') })
    expect((await ask(world, NESTED)).response.status).toBe(200)
    const text = await sentText(world)
    for (const value of Object.values(NESTED)) expect(text).toContain(filled(JSON.stringify(value)))
  })

  test('fields that the operator allows reach the provider, and others are named', async () => {
    const allowed = ['min_p', 'chat_template_kwargs', 'constructor']
    await using world = await startWith({ body: openaiCompletion('Hello') }, allowed)
    const more = { min_p: 0.05, chat_template_kwargs: WITH_VENDOR, toString: 1, unknown: 2 }
    const { response } = await ask(world, more)
    expect(response.headers.get('x-tollgate-dropped-fields')).toBe('toString, unknown')
    const text = await sentText(world)
    expect(text).toContain(`"min_p":0.05,"chat_template_kwargs":{"vendor":${VENDOR}}`)
    expect(text).not.toContain('unknown')
  })

  test('no field passes without that', async () => {
    await using world = await startWith({ body: openaiCompletion('Hello') })
    const { response } = await ask(world, { min_p: 0.05 })
    expect(response.headers.get('x-tollgate-dropped-fields')).toBe('min_p')
    expect(await sentText(world)).not.toContain('min_p')
  })
})

describe('of an answer', () => {
  const message = { role: 'assistant', content: 'Hello', refusal: null, ...WITH_VENDOR }
  const choice = { index: 0, message, logprobs: null, finish_reason: 'stop', ...WITH_VENDOR }

  test('whatever is in a whole message reaches the caller, with all its digits', async () => {
    const body = filled(JSON.stringify({ ...openaiCompletion('Hello'), choices: [choice] }))
    await using world = await startWith({ body, headers: { 'content-type': 'application/json' } })
    const { text } = await ask(world, {})
    expect(text).toContain(filled(JSON.stringify([choice])))
  })

  test('whatever is in a delta reaches the caller, with all its digits', async () => {
    await using world = await startWith([
      openaiChunk({ role: 'assistant', content: '' }),
      openaiChunk({ content: 'Hello', ...WITH_VENDOR }),
      openaiChunk({}, { finishReason: 'stop' }),
      openaiUsageChunk(openaiUsage(10, 4)),
    ])
    const { text } = await ask(world, { stream: true })
    expect(text).toContain(`"delta":{"content":"Hello","vendor":${VENDOR}}`)
  })
})

test('of whatever nested value each way keeps what a parser reads, digit for digit', async () => {
  const numbers = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  const digits = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }).map((value) => `#${value}#`)
  const value = fc.jsonValue({ maxDepth: 3 })
  const nested = fc.record({ value, numbers, digits: fc.array(digits, { maxLength: 3 }) })
  const samples = fc.sample(nested, { numRuns: 20, seed: 7 })
  // Integers that no double holds are written into the text.
  const written = JSON.stringify(samples).replaceAll(/"#(-?\d+)#"/g, '$1')
  const withSamples = (body: object): string => JSON.stringify(body).replace('"SAMPLES"', () => written)
  const vendor = { content: 'Hello', vendor: 'SAMPLES' }
  const frames = [
    `data: ${JSON.stringify(openaiChunk({ role: 'assistant', content: '' }))}\n\n`,
    `data: ${withSamples(openaiChunk(vendor))}\n\n`,
    `data: ${JSON.stringify(openaiChunk({}, { finishReason: 'stop' }))}\n\n`,
    'data: [DONE]\n\n',
  ]
  const whole = {
    ...openaiCompletion('Hello'),
    choices: [{ index: 0, message: vendor, finish_reason: 'stop' }],
  }
  const headers = { 'content-type': 'application/json' }
  for (const [isStream, provider] of [
    [true, stream(frames)],
    [false, respond({ body: withSamples(whole), headers })],
  ] as const) {
    await using world = await startWorld({ provider })
    const text = withSamples({
      model: 'acme/chat-1',
      messages: [{ role: 'user', content: 'Hi', vendor: 'SAMPLES' }],
      stream: isStream,
    })
    const response = await world.request('POST', '/v1/chat/completions', text)
    expect(await response.text()).toContain(`"vendor":${written}`)
    expect(await sentText(world)).toContain(`"vendor":${written}`)
  }
})
