import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { readerOf } from '../support/readAnswer.ts'
import { type Script, close, hang, openaiChunk, sse, stream } from '../support/scriptedProvider.ts'
import { MESSAGES, MODEL, type World, startWorld } from '../support/world.ts'

/** How a stream ends that fails after its first words: agents go on where the message holds "server error". */

const HELLO = openaiChunk({ content: 'Hello' })

function failing(error: JsonObject): Script {
  return stream([HELLO, sse({ error })])
}

const REPEATED: [string, Script][] = [
  ['the connection is lost', stream([HELLO, close()])],
  ['the provider fails', failing({ message: 'x', type: 'server_error', code: null })],
  ['the provider is overloaded', failing({ message: 'x', type: 'overloaded_error', code: 'overloaded' })],
  ['the provider sends what is no JSON', stream([HELLO, 'data: {broken\n\n'])],
  ['the provider says nothing more', stream([HELLO, hang()])],
]
const AT_FAULT: [string, Script][] = [
  ['the content policy applies', failing({ message: 'x', code: 'content_policy_violation' })],
  [
    'the request is at fault',
    failing({ message: 'x', type: 'invalid_request_error', code: 'invalid_value' }),
  ],
  ['the context ran over', failing({ message: 'x', code: 'context_length_exceeded' })],
  [
    "the model's output is malformed",
    stream([HELLO, openaiChunk({}, { finishReason: 'malformed_function_call' })]),
  ],
]

interface LastError {
  readonly type: string
  readonly code: unknown
  readonly message: string
}

/** @param begun what happens when the first words have come */
async function lastErrorOf(world: World, path: string, begun?: () => Promise<void>): Promise<LastError> {
  const body = { model: MODEL, messages: MESSAGES, max_tokens: 50, stream: true }
  const response = await world.request('POST', path, body)
  expect(response.status).toBe(200)
  const reader = readerOf(response)
  await reader.until('Hello')
  await begun?.()
  const last = (await reader.rest()).trimEnd().split('\n').at(-1) ?? ''
  const { error } = JSON.parse(last.replace('data: ', '')) as { error: LastError }
  return error
}

function startImpatient(provider: Script): Promise<World> {
  return startWorld({
    provider,
    config: ({ baseUrl }) => ({
      providers: {
        acme: {
          wire: 'openai-chat',
          base_url: baseUrl,
          api_key: 'provider-secret',
          timeouts: { idle: '300ms', quiet: '300ms' },
        },
      },
    }),
  })
}

describe.each([
  ['/v1/chat/completions', ['upstream_error', 'service_unavailable']],
  ['/v1/messages', ['api_error']],
])('a stream of %s that breaks off', (path, types) => {
  test.each(REPEATED)('holds the words that agents go on by where %s', async (_why, provider) => {
    await using world = await startImpatient(provider)
    const error = await lastErrorOf(world, path)
    expect(error.message).toContain('server error')
    expect(types).toContain(error.type)
    expect(error.code).toMatch(/^(upstream_error|service_unavailable)$/)
  })

  test.each(AT_FAULT)('does not ask for the same again where %s', async (_why, provider) => {
    await using world = await startImpatient(provider)
    expect((await lastErrorOf(world, path)).message).not.toContain('server error')
  })

  test('holds the words where the gateway stops', async () => {
    await using world = await startWorld({
      provider: stream([HELLO, hang()]),
      config: () => ({ server: { drain: '50ms' } }),
    })
    const { message, type } = await lastErrorOf(world, path, () => world.gateway.stop())
    expect(message).toContain('server error: it is shutting down')
    expect(types).toContain(type)
  })
})
