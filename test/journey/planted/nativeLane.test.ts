import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/core/json.ts'
import {
  type Act,
  type Script,
  close,
  inTurn,
  openaiChunk,
  openaiCompletion,
  openaiError,
  openaiUsage,
  openaiUsageChunk,
  respond,
  sse,
  stream,
  startScriptedProvider,
} from '../../support/scriptedProvider.ts'
import {
  MODEL,
  type World,
  type WorldOptions,
  standardConfig,
  standardModel,
  startWorld,
} from '../../support/world.ts'
import { nativeLane } from './nativeLane.ts'

/** A second attempt and a second encoder in the one pipeline: what no field of the gateway's models still gets through. */

const VENDOR = { deep: [1, { of: 'a vendor' }] }
const CHUNKS = [
  openaiChunk({ role: 'assistant', content: '' }, { more: { vendor: VENDOR } }),
  openaiChunk({ content: 'Hel', vendor: VENDOR }),
  openaiChunk({ content: 'lo' }, { more: { vendor: VENDOR } }),
  openaiChunk({}, { finishReason: 'stop', more: { vendor: VENDOR } }),
]
const USAGE = openaiUsage(100, 40)

function streamed(...chunks: JsonObject[]): Act {
  return stream([...chunks, openaiUsageChunk(USAGE), '[DONE]'])
}

function startNative(provider: Script, options: WorldOptions = {}): Promise<World> {
  return startWorld({ provider, endpoints: [nativeLane], ...options })
}

async function ask(world: World, more: object = {}): Promise<{ status: number; text: string; id: string }> {
  const response = await fetch(`${world.url}/v1/native`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.secret}` },
    body: JSON.stringify({
      model: MODEL,
      messages: [{ role: 'user', content: 'Hi', vendor: VENDOR }],
      ...more,
    }),
  })
  return {
    status: response.status,
    text: await response.text(),
    id: response.headers.get('x-request-id') ?? '',
  }
}

/** The chunks as their caller gets them: nothing but id and model is other than the provider's. */
function passedOn(chunks: readonly JsonObject[], id: string): string {
  return chunks.map((chunk) => sse(JSON.stringify({ ...chunk, id, model: MODEL }))).join('')
}

async function charges(world: World): Promise<string[]> {
  await world.settled()
  return (await world.ledger()).filter(({ kind }) => kind === 'charge').map(({ amount_usd }) => amount_usd)
}

describe('at a provider of the same format', () => {
  test('a body goes out as it came, and its stream comes back frame by frame, and is charged as reported', async () => {
    await using world = await startNative(streamed(...CHUNKS))
    const { status, text, id } = await ask(world, {
      stream: true,
      stream_options: { include_usage: true },
      vendor: VENDOR,
    })
    expect(status).toBe(200)
    expect(id).toStartWith('native-')
    const native = passedOn(CHUNKS, id)
    expect(text).toStartWith(native)
    const end = text.slice(native.length)
    expect(end).toContain('"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":40,')
    expect(end).toEndWith('data: [DONE]\n\n')
    expect((await world.provider.request()).body).toMatchObject({
      model: 'upstream-chat-1',
      messages: [{ role: 'user', content: 'Hi', vendor: VENDOR }],
      vendor: VENDOR,
      stream_options: { include_usage: true },
    })
    expect(await charges(world)).toEqual(['0.00011'])
  })

  test('a whole answer comes back with what nothing models', async () => {
    const answer = openaiCompletion('Hello', { usage: USAGE, more: { vendor: VENDOR } })
    await using world = await startNative(respond({ body: answer }))
    const { text, id } = await ask(world, { max_tokens: 50 })
    expect(JSON.parse(text)).toMatchObject({ ...answer, id, model: MODEL, vendor: VENDOR })
    expect(await charges(world)).toEqual(['0.00011'])
  })

  test('an answer ends where the money does, in the words of the format, and no raw frame says more', async () => {
    const long = Array.from({ length: 60 }, (_, place) =>
      openaiChunk({ content: ` word${place}`.repeat(20) }),
    )
    await using world = await startNative(streamed(...long, openaiChunk({}, { finishReason: 'stop' })), {
      balance: '0.0009',
    })
    const { text } = await ask(world, { stream: true })
    expect(text).toContain('"finish_reason":"length"')
    expect(text).not.toContain('"finish_reason":"stop"')
    expect(text).not.toContain('word59')
    expect(text).toEndWith('data: [DONE]\n\n')
    await world.settled()
    expect(Number((await world.balance()).balance)).toBeGreaterThanOrEqual(0)
  })

  test('a stream that breaks off says so, costs nothing, and does not look whole', async () => {
    await using world = await startNative(stream([CHUNKS[0] ?? {}, CHUNKS[1] ?? {}, close()]))
    const { text, id } = await ask(world, { stream: true })
    expect(text).toStartWith(passedOn(CHUNKS.slice(0, 2), id))
    expect(text).toContain('"code":"upstream_error"')
    expect(text).not.toContain('[DONE]')
    expect(await charges(world)).toEqual([])
  })

  test('one that fails before its content is replaced, and its caller gets one beginning', async () => {
    await using world = await startNative(inTurn(openaiError(500), streamed(...CHUNKS)))
    const { text, id } = await ask(world, { stream: true })
    expect(text).toBe(`${passedOn(CHUNKS, id)}data: [DONE]\n\n`)
  })
})

test('where a provider of another format takes over, the same call is translated', async () => {
  await using anthropic = await startScriptedProvider(
    respond({
      body: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'upstream-claude',
        content: [{ type: 'text', text: 'Bonjour' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10, output_tokens: 2 },
      },
    }),
  )
  await using world = await startNative(openaiError(500), {
    config: (provider) => ({
      ...standardConfig(provider),
      providers: {
        ...(standardConfig(provider)['providers'] as object),
        other: { wire: 'anthropic-messages', base_url: anthropic.baseUrl, api_key: 'k' },
      },
      models: [
        standardModel({
          targets: [
            { provider: 'acme', model: 'upstream-chat-1' },
            { provider: 'other', model: 'upstream-claude' },
          ],
        }),
      ],
    }),
  })
  const { status, text, id } = await ask(world, { max_tokens: 50 })
  expect(status).toBe(200)
  expect(JSON.parse(text)).toMatchObject({
    id,
    object: 'chat.completion',
    model: MODEL,
    choices: [{ message: { role: 'assistant', content: 'Bonjour' }, finish_reason: 'stop' }],
  })
})
