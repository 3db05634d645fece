import OpenAI, { APIError } from 'openai'
import { expect, test } from 'bun:test'
import {
  type CodecAnswer,
  CUT_ANSWER,
  FAILED_ANSWER,
  rejectionOf,
} from '../../../test/support/codecServer.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { ERRORS, type Refusal, refuse } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'
import { responseToEvents } from '../collect.ts'
import type { Envelope } from '../wire.ts'
import { decodeRequest } from './decodeRequest.ts'
import { encodeError } from './encodeError.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'

const USAGE = {
  promptTokens: 30,
  cachedTokens: 10,
  cacheWriteTokens: 0,
  completionTokens: 12,
  reasoningTokens: 4,
}

function answerOf(choice: Omit<WholeAnswer['choices'][number], 'index'>): WholeAnswer {
  return { choices: [{ index: 0, ...choice }], usage: USAGE, extra: {} }
}

const TEXT = answerOf({ message: { role: 'assistant', content: 'Hello, Zoë 👋' }, finishReason: 'stop' })
const JSON_TEXT = answerOf({
  message: { role: 'assistant', content: '{"city":"Oslo"}' },
  finishReason: 'stop',
})
const CALLS = answerOf({
  message: {
    role: 'assistant',
    content: 'Let me see.',
    reasoning_content: 'Two cities.',
    reasoning_details: [
      { type: 'reasoning.summary', summary: 'Two cities.', format: 'openai-responses-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'gAAAAA', format: 'openai-responses-v1', index: 0 },
    ],
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
      { id: 'call_2', type: 'custom', custom: { name: 'patch', input: '*** Begin' } } as never,
    ],
  },
  finishReason: 'tool_calls',
})

const PARAMS = { model: 'acme/chat-1', input: 'Hi' } satisfies OpenAI.Responses.ResponseCreateParams

/** A server of the format, for its official client. */
function serve(answer: CodecAnswer) {
  const requests: ChatRequest[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(call) {
      const requestBody = (await call.json()) as JsonObject
      const decoded = decodeRequest(requestBody)
      if (!decoded.ok) return refusal(decoded.refusal)
      requests.push(decoded.request)
      return respond(decoded.request, {
        id: 'resp_01J00000000000000000000000',
        created: 1_795_000_000,
        model: 'acme/chat-1',
        includeUsage: true,
        requestBody,
      })
    },
  })

  function respond(request: ChatRequest, envelope: Envelope): Response {
    if ('code' in answer) return refusal(answer)
    if ('choices' in answer && !request.stream) return Response.json(encodeResponse(answer, envelope))
    const encode = encodeStream(envelope)
    const events = 'choices' in answer ? responseToEvents(answer) : answer
    const text = [...events.flatMap((event) => encode.push(event)), ...encode.end()].join('')
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  }

  function refusal(given: Refusal): Response {
    return Response.json(encodeError(given), { status: ERRORS[given.code].status })
  }

  const client = new OpenAI({
    baseURL: `http://127.0.0.1:${server.port}/v1`,
    apiKey: 'secret',
    maxRetries: 0,
  })
  return { client, requests, [Symbol.asyncDispose]: () => server.stop(true) }
}

const COUNTS = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 10 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 42,
}

test('the official client reads a whole answer and a streamed one', async () => {
  await using server = serve(TEXT)
  for (const response of [
    await server.client.responses.create(PARAMS),
    await server.client.responses.stream(PARAMS).finalResponse(),
  ]) {
    expect(response.output_text).toBe('Hello, Zoë 👋')
    expect(response.status).toBe('completed')
    expect(response.usage as unknown).toEqual(COUNTS)
    expect(response.model).toBe('acme/chat-1')
  }
})

test('the official client reads reasoning, text and calls, whole and streamed', async () => {
  await using server = serve(CALLS)
  const whole = await server.client.responses.create(PARAMS)
  const streamed = await server.client.responses.stream(PARAMS).finalResponse()
  expect(whole.output as unknown).toMatchObject([
    { type: 'reasoning', summary: [{ text: 'Two cities.' }], encrypted_content: 'gAAAAA' },
    { type: 'message', content: [{ text: 'Let me see.' }] },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Paris"}' },
    { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: '*** Begin' },
  ])
  expect(JSON.parse(JSON.stringify(streamed.output))).toMatchObject(
    JSON.parse(JSON.stringify(whole.output)) as object,
  )
})

test('the official client puts a stream together from its events as its last one says', async () => {
  await using server = serve(CALLS)
  const stream = server.client.responses.stream(PARAMS)
  const texts: string[] = []
  stream.on('response.output_text.delta', ({ delta }) => void texts.push(delta))
  stream.on('response.function_call_arguments.delta', ({ snapshot }) => void texts.push(snapshot))
  await stream.finalResponse()
  expect(texts).toEqual(['Let me see.', '{"city":"Paris"}'])
})

test('the official client parses an answer that follows a schema', async () => {
  await using server = serve(JSON_TEXT)
  const format = { type: 'json_schema', name: 'place', schema: { type: 'object' } } as const
  const response = await server.client.responses.parse({ ...PARAMS, text: { format } })
  expect(response.output_text).toBe('{"city":"Oslo"}')
  expect(server.requests[0]?.responseFormat).toEqual({
    type: 'json_schema',
    json_schema: { name: 'place', schema: { type: 'object' } },
  })
})

test('the official client sees a refusal as one', async () => {
  await using server = serve(
    answerOf({ message: { role: 'assistant', content: null, refusal: 'Not this.' }, finishReason: 'stop' }),
  )
  for (const response of [
    await server.client.responses.create(PARAMS),
    await server.client.responses.stream(PARAMS).finalResponse(),
  ]) {
    expect(response.output as unknown).toMatchObject([
      { content: [{ type: 'refusal', refusal: 'Not this.' }] },
    ])
  }
})

test('the official client raises refusals with their status and code', async () => {
  await using server = serve(refuse('insufficient_balance', 'The balance is too low.'))
  const error = await rejectionOf(server.client.responses.create(PARAMS))
  expect(error).toBeInstanceOf(APIError)
  expect(error).toMatchObject({ status: 402, code: 'insufficient_balance' })
})

test.each([
  ['that failed', FAILED_ANSWER],
  ['that was cut', CUT_ANSWER],
])('the official client throws at a stream %s, however it is read', async (_what, answer) => {
  await using server = serve(answer)
  const { client } = server
  const read = [
    () => client.responses.stream(PARAMS).finalResponse(),
    async () => {
      for await (const event of await client.responses.create({ ...PARAMS, stream: true }))
        expect(event.type).not.toBe('response.completed')
    },
  ]
  for (const reading of read) {
    const error = await rejectionOf(reading())
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({
      code: 'server_error',
      type: 'server_error',
      message: expect.stringContaining('server error'),
    })
  }
})

test('what the official client gets can be sent back as it is', async () => {
  await using server = serve(CALLS)
  const { output } = await server.client.responses.stream(PARAMS).finalResponse()
  await server.client.responses.create({
    ...PARAMS,
    input: [
      { role: 'user', content: 'Hi' },
      ...(output as OpenAI.Responses.ResponseInput),
      { type: 'function_call_output', call_id: 'call_1', output: 'Rain.' },
    ],
  })
  expect(server.requests[1]?.messages).toMatchObject([
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: 'Let me see.',
      reasoning_content: 'Two cities.',
      tool_calls: CALLS.choices[0]?.message.tool_calls,
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'Rain.' },
  ])
})
