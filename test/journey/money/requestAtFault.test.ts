import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/core/json.ts'
import { STRIKES_TO_OPEN } from '../../../src/upstream/routing/streak.ts'
import { type Act, type Frame, openaiChunk, sse, stream } from '../../support/scriptedProvider.ts'
import { standardConfig, startWorld, type World } from '../../support/world.ts'
import {
  COUNTED_HELLO_WORLD,
  COUNTED_PROMPT,
  cost,
  expectChargedOnce,
  onlyReceipt,
  openStream,
} from './purse.ts'

const ROLE = openaiChunk({ role: 'assistant', content: '' })
const HELLO = openaiChunk({ content: 'Hello' })
const WORLD = openaiChunk({ content: ' world' })

function openaiFails(error: JsonObject, ...said: readonly Frame[]): Act {
  return stream([ROLE, ...said, sse({ error }, { event: 'error' })])
}

function googleFails(finishReason: string, ...said: readonly string[]): Act {
  const chunk = (text: string | undefined, more: JsonObject = {}): string =>
    sse({
      candidates: [
        { index: 0, content: { role: 'model', parts: text === undefined ? [] : [{ text }] }, ...more },
      ],
      ...(text === undefined && {
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 12, totalTokenCount: 21 },
      }),
    })
  return stream([...said.map((text) => chunk(text)), chunk(undefined, { finishReason })])
}

function anthropicFails(error: JsonObject, ...said: readonly string[]): Act {
  const event = (type: string, more: JsonObject): string => sse({ type, ...more }, { event: type })
  return stream([
    event('message_start', {
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        content: [],
        model: 'm',
        usage: { input_tokens: 9, output_tokens: 1 },
      },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...said.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('error', { error }),
  ])
}

const TOOL_USE_FAILED = {
  message: 'Failed to call a function.',
  type: 'invalid_request_error',
  code: 'tool_use_failed',
}
const FILTERED = {
  message: 'The response was filtered.',
  type: 'invalid_request_error',
  code: 'content_filter',
}
const TOO_LONG = {
  message: 'This is too long.',
  type: 'invalid_request_error',
  code: 'context_length_exceeded',
}

/** Each answer says "Hello world", or nothing, and then breaks off for what the request or the model did. */
const ANSWERS: readonly [string, wire: string, said: Act, silent: Act][] = [
  [
    'a malformed call',
    'openai-chat',
    openaiFails(TOOL_USE_FAILED, HELLO, WORLD),
    openaiFails(TOOL_USE_FAILED),
  ],
  ['a content policy', 'openai-chat', openaiFails(FILTERED, HELLO, WORLD), openaiFails(FILTERED)],
  ['a context that ran over', 'openai-chat', openaiFails(TOO_LONG, HELLO, WORLD), openaiFails(TOO_LONG)],
  [
    'a malformed call, reported',
    'google-generate',
    googleFails('MALFORMED_FUNCTION_CALL', 'Hello', ' world'),
    googleFails('MALFORMED_FUNCTION_CALL'),
  ],
  [
    'a mistake in the request',
    'anthropic-messages',
    anthropicFails({ type: 'invalid_request_error', message: 'No.' }, 'Hello', ' world'),
    anthropicFails({ type: 'invalid_request_error', message: 'No.' }),
  ],
]

function worldOf(wire: string, provider: Act): Promise<World> {
  return startWorld({
    provider,
    config(scripted) {
      const config = standardConfig(scripted)
      const { acme } = config['providers'] as { acme: object }
      return { ...config, providers: { acme: { ...acme, wire } } }
    },
  })
}

describe('an answer that breaks off for what the request or the model did', () => {
  test.each(ANSWERS)('is charged once something was delivered: %s (%s)', async (_, wire, said) => {
    await using world = await worldOf(wire, said)
    const caller = await openStream(world)
    const text = await caller.rest()
    expect(text).toContain(' world')
    expect(text).toContain('What was generated until then is charged.')
    expect(text).not.toContain('[DONE]')
    await world.settled()
    const receipt = await onlyReceipt(world)
    expect([receipt.ending, receipt.status]).toEqual(['request_at_fault', 200])
    if (wire === 'openai-chat') await expectChargedOnce(world, cost(COUNTED_PROMPT, COUNTED_HELLO_WORLD))
    else if (wire === 'google-generate') await expectChargedOnce(world, cost(9, 12))
    else expect(receipt.usage.completion_tokens).toBe(COUNTED_HELLO_WORLD)
  })

  test.each(ANSWERS)(
    'is free where nothing was delivered, and that workspace is not served for ever: %s (%s)',
    async (_, wire, said, silent) => {
      for (const [act, body] of [
        [said, {}],
        [silent, { stream: true }],
      ] as const) {
        await using world = await worldOf(wire, act)
        world.clock.set(world.clock.now())
        const statuses: number[] = []
        for (let i = 0; i <= STRIKES_TO_OPEN; i++) {
          const response = await world.chat(body)
          statuses.push(response.status)
          expect(await response.text()).not.toContain('charged')
        }
        await world.settled()
        expect(statuses.at(-1)).toBe(503)
        expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
      }
    },
  )
})

test('text of long tokens that its caller asked for is charged, however long it goes on', async () => {
  // o200k reads 16 of these characters as a token: it is within its limit.
  const filler = Array.from({ length: 120 }, () => openaiChunk({ content: '=-'.repeat(2_000) }))
  const frames = [ROLE, HELLO, WORLD, ...filler, openaiChunk({}, { finishReason: 'stop' }), sse('[DONE]')]
  await using world = await startWorld({ provider: stream(frames) })
  const caller = await openStream(world, { max_tokens: 8_000 })
  const text = await caller.rest()
  expect(text).toContain(' world')
  expect(text).toContain('"finish_reason":"length"')
  await world.settled()
  const receipt = await onlyReceipt(world)
  expect(receipt.ending).toBe('length')
  const [, output] = receipt.lines
  expect(output?.tokens).toBeGreaterThan(6_000)
  expect(output?.tokens).toBeLessThanOrEqual(8_000)
})
