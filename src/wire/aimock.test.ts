import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LLMock } from '@copilotkit/aimock'
import { collectEvents } from './collect.ts'
import { bedrockConverse } from './bedrock-converse/bedrockConverse.ts'
import { cohereChat } from './cohere-chat/cohereChat.ts'
import { mistralChat } from './mistral-chat/mistralChat.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import type { Json } from '../core/json.ts'
import { splitFrames } from './framing.ts'
import type { WireFormat } from './wire.ts'

/** A provider that is not written by us, over real sockets. */
const mock = new LLMock({ port: 0 })

beforeAll(async () => {
  mock.onMessage('say', { content: 'Grüße from elsewhere 🌍' })
  mock.onMessage('call', { toolCalls: [{ name: 'look', arguments: '{"at":"Oslo"}' }] })
  mock.onMessage('fail', { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429 })
  await mock.start()
})

afterAll(() => mock.stop())

const formats: [string, WireFormat, string, string][] = [
  ['mistral-chat', mistralChat, '/v1', 'mistral-large-latest'],
  ['cohere-chat', cohereChat, '/v2', 'command-a-03-2025'],
  ['bedrock-converse', bedrockConverse, '', 'anthropic.claude-3-haiku-20240307-v1:0'],
]

describe.each(formats)('%s against a provider of another hand', (_id, format, prefix, upstreamModel) => {
  async function post(content: string, stream: boolean): Promise<Response> {
    const request: ChatRequest = {
      model: upstreamModel,
      messages: [{ role: 'user', content }],
      n: 1,
      stream,
      includeUsage: stream,
      extra: {},
    }
    const encoded = format.client.encodeRequest(request, {
      upstreamModel,
      maxOutputTokens: 4096,
      quirks: {},
      unsupportedFields: [],
      facts: {},
    })
    return fetch(mock.url + prefix + encoded.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer test', ...encoded.headers },
      body: JSON.stringify(encoded.body),
    })
  }

  async function ask(content: string, stream: boolean): Promise<WholeAnswer> {
    const response = await post(content, stream)
    expect(response.status).toBe(200)
    if (!stream) return format.client.decodeResponse((await response.json()) as Json)
    const split = splitFrames(format.framing)
    const decode = format.client.decodeStream()
    const collector = collectEvents()
    for await (const bytes of response.body ?? []) {
      for (const event of split.push(bytes).flatMap((frame) => decode.push(frame))) collector.push(event)
    }
    const rest = [...split.end().flatMap((frame) => decode.push(frame)), ...decode.end()]
    for (const event of rest) collector.push(event)
    return collector.response()
  }

  test.each([false, true])('text and calls are read (streamed: %p)', async (stream) => {
    const said = await ask('say', stream)
    expect(said.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'Grüße from elsewhere 🌍' },
      finishReason: 'stop',
    })
    const called = await ask('call', stream)
    expect(called.choices[0]?.finishReason).toBe('tool_calls')
    expect(called.choices[0]?.message.tool_calls).toMatchObject([
      { type: 'function', function: { name: 'look', arguments: '{"at":"Oslo"}' } },
    ])
  })

  test('an error is classified', async () => {
    const response = await post('fail', true)
    const failure = format.client.decodeError({
      status: response.status,
      headers: new Map(response.headers),
      body: await response.text(),
    })
    expect(failure).toMatchObject({ kind: 'rate_limited', status: 429 })
  })
})
