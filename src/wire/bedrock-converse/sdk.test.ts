import { afterAll, describe, expect, test } from 'bun:test'
import {
  BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { FAILED_ANSWER, rejectionOf, serveCodec } from '../../../test/support/codecServer.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { type ErrorCode, refuse } from '../../core/error.ts'
import { bedrockConverse } from './bedrockConverse.ts'
import { readRequestPath } from '../../../test/support/wireServers/bedrock-converse/path.ts'

const server = serveCodec(bedrockConverse, [], readRequestPath)
const client = new BedrockRuntimeClient({
  endpoint: server.url,
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
  // Its default speaks HTTP/2 only.
  requestHandler: new NodeHttpHandler(),
  maxAttempts: 1,
})
afterAll(async () => {
  client.destroy()
  await server[Symbol.asyncDispose]()
})

const modelId = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const messages: ConverseCommandInput['messages'] = [{ role: 'user', content: [{ text: 'Weather?' }] }]

const response: WholeAnswer = {
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'I look. 🌧',
        reasoning_content: 'Rain?',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Rain?', signature: 'c2ln', format: 'anthropic-claude-v1' },
          { type: 'reasoning.encrypted', data: 'c2VjcmV0', format: 'anthropic-claude-v1' },
        ],
        tool_calls: [
          { id: 'tooluse_1', type: 'function', function: { name: 'look', arguments: '{"at":"Oslo"}' } },
          { id: 'tooluse_2', type: 'function', function: { name: 'wait', arguments: '{}' } },
        ],
      },
      finishReason: 'tool_calls',
    },
  ],
  usage: { promptTokens: 9, cachedTokens: 4, cacheWriteTokens: 2, completionTokens: 7, reasoningTokens: 0 },
  extra: {},
}

const usage = {
  inputTokens: 3,
  outputTokens: 7,
  totalTokens: 16,
  cacheReadInputTokens: 4,
  cacheWriteInputTokens: 2,
}

describe("AWS's own client", () => {
  test('reads a whole answer', async () => {
    server.answer = response
    const inferenceConfig = { maxTokens: 5, temperature: 0.5 }
    const answer = await client.send(new ConverseCommand({ modelId, messages, inferenceConfig }))
    expect(server.requests.at(-1)).toMatchObject({
      model: modelId,
      messages: [{ role: 'user', content: 'Weather?' }],
      maxTokens: 5,
      temperature: 0.5,
      stream: false,
    })
    expect(answer.stopReason).toBe('tool_use')
    expect(answer.usage).toEqual(usage)
    expect(JSON.parse(JSON.stringify(answer.output?.message?.content ?? []))).toEqual([
      { reasoningContent: { reasoningText: { text: 'Rain?', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: expect.anything() } },
      { text: 'I look. 🌧' },
      { toolUse: { toolUseId: 'tooluse_1', name: 'look', input: { at: 'Oslo' } } },
      { toolUse: { toolUseId: 'tooluse_2', name: 'wait', input: {} } },
    ])
  })

  test('reads a stream', async () => {
    server.answer = response
    const events = await streamed()
    expect(server.requests.at(-1)?.stream).toBe(true)
    expect(events[0]).toEqual({ messageStart: { role: 'assistant' } })
    expect(events.flatMap((event) => event.contentBlockStart?.start?.toolUse?.toolUseId ?? [])).toEqual([
      'tooluse_1',
      'tooluse_2',
    ])
    expect(events.flatMap((event) => event.contentBlockDelta?.delta?.text ?? [])).toEqual(['I look. 🌧'])
    expect(events.flatMap((event) => event.contentBlockDelta?.delta?.toolUse?.input ?? [])).toEqual([
      '{"at":"Oslo"}',
      '{}',
    ])
    const reasoning = events.flatMap((event) => event.contentBlockDelta?.delta?.reasoningContent ?? [])
    expect(
      reasoning.map((part) => part.text ?? part.signature ?? new TextDecoder().decode(part.redactedContent)),
    ).toEqual(['Rain?', 'c2ln', 'secret'])
    expect(events.at(-2)?.messageStop?.stopReason).toBe('tool_use')
    expect(events.at(-1)?.metadata?.usage).toEqual(usage)
  })

  const refusals: [ErrorCode, string][] = [
    ['invalid_request', 'ValidationException'],
    ['invalid_api_key', 'AccessDeniedException'],
    ['model_not_found', 'ResourceNotFoundException'],
    ['rate_limit_exceeded', 'ThrottlingException'],
    ['internal_error', 'InternalServerException'],
    ['service_unavailable', 'ServiceUnavailableException'],
  ]
  test.each(refusals)('reads %s as %s', async (code, name) => {
    server.answer = refuse(code, 'No.')
    const error = await rejectionOf(client.send(new ConverseCommand({ modelId, messages })))
    expect(error).toMatchObject({ name, message: 'No.' })
  })

  test('never reads a whole answer out of a failed stream', async () => {
    server.answer = FAILED_ANSWER
    expect(await rejectionOf(streamed())).toMatchObject({ name: 'ModelStreamErrorException' })
  })

  test('knows every field that we send', async () => {
    server.answer = response
    const { body } = bedrockConverse.client.encodeRequest(everything, {
      upstreamModel: modelId,
      maxOutputTokens: 100,
      quirks: {},
      unsupportedFields: [],
      facts: {},
    })
    await client.send(new ConverseCommand({ ...(withBytes(body) as object), modelId }))
    expect(server.bodies.at(-1)).toEqual(body)
  })
})

async function streamed(): Promise<ConverseStreamOutput[]> {
  const { stream } = await client.send(new ConverseStreamCommand({ modelId, messages }))
  const events: ConverseStreamOutput[] = []
  for await (const event of stream ?? []) events.push(event)
  return events
}

/** The client takes bytes where JSON has base64. */
function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      name === 'bytes' || name === 'redactedContent'
        ? Buffer.from(String(field), 'base64')
        : withBytes(field),
    ]),
  )
}

const everything: ChatRequest = {
  model: 'm',
  n: 1,
  stream: false,
  includeUsage: false,
  maxTokens: 10,
  temperature: 0.5,
  topP: 0.5,
  stop: ['.'],
  tools: [
    {
      type: 'function',
      function: { name: 'look', description: 'Looks.', parameters: { type: 'object' }, strict: true },
    },
  ],
  toolChoice: { type: 'function', function: { name: 'look' } },
  responseFormat: {
    type: 'json_schema',
    json_schema: { name: 'a', description: 'An answer.', schema: { type: 'object' } },
  },
  reasoningEffort: 'high',
  extra: { service_tier: 'flex' },
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        { type: 'file', file: { filename: 'a b.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      ],
    },
    {
      role: 'assistant',
      content: 'I look.',
      reasoning_details: [
        { type: 'reasoning.text', text: 'Rain?', signature: 'c2ln', format: 'anthropic-claude-v1' },
        { type: 'reasoning.encrypted', data: 'c2VjcmV0', format: 'anthropic-claude-v1' },
      ],
      tool_calls: [
        { id: 'tooluse_1', type: 'function', function: { name: 'look', arguments: '{"at":"Oslo"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'tooluse_1', content: 'rain' },
  ],
}
