import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { AnswerEvent } from '../../core/answer/event.ts'
import { refuse } from '../../core/error.ts'
import type { Envelope } from '../wire.ts'
import { openAiChat } from './openAiChat.ts'

const envelope: Envelope = {
  id: 'chatcmpl-1',
  created: 1_795_000_000,
  model: 'acme/chat-1',
  includeUsage: true,
}
const usage = {
  promptTokens: 9,
  cachedTokens: 4,
  cacheWriteTokens: 0,
  completionTokens: 3,
  reasoningTokens: 1,
}
const question = { model: 'acme/chat-1', messages: [{ role: 'user' as const, content: 'Hi' }] }

/** The official client, answered with the given body. */
function clientOf(body: string, init: ResponseInit): OpenAI {
  const answer = (): Promise<Response> => Promise.resolve(new Response(body, init))
  return new OpenAI({
    apiKey: 'tg_test',
    baseURL: 'http://gateway.test/v1',
    maxRetries: 0,
    fetch: Object.assign(answer, { preconnect: () => undefined }),
  })
}

function streamed(events: readonly AnswerEvent[]): OpenAI {
  const encode = openAiChat.server.encodeStream(envelope)
  const text = [...events.flatMap((event) => encode.push(event)), ...encode.end()].join('')
  return clientOf(text, { headers: { 'content-type': 'text/event-stream' } })
}

async function failureOf(act: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    await act()
    return undefined
  } catch (error) {
    return error
  }
}

const toolCall = { id: 'call_1', type: 'function', function: { name: 'now', arguments: '' } } as const

describe("OpenAI's own client reads what we write", () => {
  test('a streamed answer with text, calls and usage', async () => {
    const client = streamed([
      { type: 'start' },
      { type: 'delta', index: 0, delta: { content: 'Hello' } },
      { type: 'delta', index: 0, delta: { content: ' 👋' } },
      { type: 'delta', index: 0, delta: { tool_calls: [{ ...toolCall, index: 0 }] } },
      { type: 'delta', index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] } },
      { type: 'finish', index: 0, reason: 'tool_calls' },
      { type: 'usage', usage },
    ])
    const completion = await client.chat.completions.stream(question).finalChatCompletion()
    expect(completion).toMatchObject({
      id: 'chatcmpl-1',
      model: 'acme/chat-1',
      choices: [
        {
          message: {
            role: 'assistant',
            content: 'Hello 👋',
            tool_calls: [{ id: 'call_1', function: { name: 'now', arguments: '{}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
    })
  })

  test('a stream that fails raises an error with our code', async () => {
    const client = streamed([
      { type: 'start' },
      { type: 'delta', index: 0, delta: { content: 'Hel' } },
      { type: 'error', failure: { kind: 'overloaded', detail: 'secret' } },
    ])
    const stream = await client.chat.completions.create({ ...question, stream: true })
    const texts: string[] = []
    const reading = async (): Promise<void> => {
      for await (const chunk of stream) texts.push(chunk.choices[0]?.delta.content ?? '')
    }
    expect(await failureOf(reading)).toMatchObject({
      code: 'service_unavailable',
      type: 'service_unavailable',
    })
    expect(texts.join('')).toBe('Hel')
  })

  test('a whole answer', async () => {
    const body = openAiChat.server.encodeResponse(
      {
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finishReason: 'stop' }],
        usage,
        extra: {},
      },
      envelope,
    )
    const client = clientOf(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
    const completion = await client.chat.completions.create(question)
    expect(completion.choices[0]).toMatchObject({ message: { content: 'Hi' }, finish_reason: 'stop' })
    expect(completion.usage?.total_tokens).toBe(12)
  })

  test('a refusal', async () => {
    const refusal = refuse('invalid_request', '`n` must be an integer from 1 to 128.', { param: 'n' })
    const body = JSON.stringify(openAiChat.server.encodeError(refusal, 'req_1'))
    const client = clientOf(body, { status: 400, headers: { 'content-type': 'application/json' } })
    expect(await failureOf(() => client.chat.completions.create(question))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      type: 'invalid_request_error',
      param: 'n',
    })
  })
})
