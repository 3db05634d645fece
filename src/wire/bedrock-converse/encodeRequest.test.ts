import { describe, expect, test } from 'bun:test'
import { chatRequest, encodeTarget, functionCall } from '../../../test/support/chatSamples.ts'
import { testRefusedFields } from '../../../test/support/codecRefusals.ts'
import type { ChatRequest, Message } from '../../core/chat/request.ts'
import { bedrockConverse } from './bedrockConverse.ts'
import { readRequestPath } from '../../../test/support/wireServers/bedrock-converse/path.ts'

const target = encodeTarget('us.anthropic.claude-sonnet-4-5-20250929-v1:0')

function encode(more: Partial<ChatRequest>) {
  return bedrockConverse.client.encodeRequest(chatRequest(more), target)
}

const calls = [functionCall('tooluse_1', 'look', '{"at":1}')]

describe('what is sent to Bedrock', () => {
  test('the model stands encoded in the path', () => {
    expect(encode({}).path).toBe('/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse')
    expect(encode({ stream: true }).path).toEndWith('/converse-stream')
    const arn = 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.meta.llama3'
    const { path } = bedrockConverse.client.encodeRequest(chatRequest({ stream: true, includeUsage: true }), {
      ...target,
      upstreamModel: arn,
    })
    expect(readRequestPath(path)).toEqual({ modelId: arn, stream: true })
  })

  test('turns alternate and begin with a user; empty texts are left out', () => {
    const { body } = encode({
      messages: [
        { role: 'assistant', content: 'Hello' },
        { role: 'assistant', content: 'there' },
        { role: 'user', content: '' },
        { role: 'developer', content: 'Be brief.' },
        { role: 'assistant', content: null, tool_calls: calls },
        { role: 'tool', tool_call_id: 'tooluse_1', content: 'rain' },
        { role: 'user', content: 'And?' },
      ],
    })
    expect(body['system']).toEqual([{ text: 'Be brief.' }])
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ text: '.' }] },
      {
        role: 'assistant',
        content: [
          { text: 'Hello' },
          { text: 'there' },
          { toolUse: { toolUseId: 'tooluse_1', name: 'look', input: { at: 1 } } },
        ],
      },
      {
        role: 'user',
        content: [{ toolResult: { toolUseId: 'tooluse_1', content: [{ text: 'rain' }] } }, { text: 'And?' }],
      },
    ])
  })

  test('tools of the history are declared when the request offers none, or forbids them', () => {
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'tooluse_1', content: 'rain' },
    ]
    const tools = [{ type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } }]
    const declared = {
      tools: [
        {
          toolSpec: {
            name: 'look',
            description: 'No longer available: do not call it.',
            inputSchema: { json: { type: 'object', properties: {} } },
          },
        },
      ],
    }
    expect(encode({ messages }).body['toolConfig']).toEqual(declared)
    expect(encode({ messages, tools, toolChoice: 'none' }).body['toolConfig']).toEqual(declared)
    expect(encode({ tools, toolChoice: 'none' }).body).not.toHaveProperty('toolConfig')
  })

  test('harmless fields are dropped and named, ranges kept', () => {
    const { body, dropped } = encode({
      seed: 1,
      user: 'u',
      frequencyPenalty: 1,
      presencePenalty: 1,
      n: 2,
      temperature: 2,
      maxTokens: 1_000_000,
      topP: 1,
      extra: { logit_bias: { '1': 1 } },
      messages: [
        { role: 'user', content: 'Hi', name: 'ada' },
        { role: 'assistant', content: 'Hello', reasoning_content: 'unsigned' },
      ],
    })
    expect(body['inferenceConfig']).toEqual({ maxTokens: 4096, temperature: 1 })
    expect(dropped).toEqual([
      'frequency_penalty',
      'presence_penalty',
      'seed',
      'user',
      'messages.name',
      'messages.reasoning_content',
      'logit_bias',
    ])
  })

  test('a field that the model refuses is not sent', () => {
    const { body, dropped } = bedrockConverse.client.encodeRequest(chatRequest({ temperature: 0.5 }), {
      ...target,
      unsupportedFields: ['temperature'],
    })
    expect(body['inferenceConfig']).toEqual({ maxTokens: 4096 })
    expect(dropped).toEqual(['temperature'])
  })

  const image = (url: string): Partial<ChatRequest> => ({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  })
  const refused: [string, Partial<ChatRequest>][] = [
    ['logprobs', { logprobs: true }],
    ['messages[0].content[0].image_url.url', image('https://example.com/a.png')],
    ['messages[0].content[0].image_url.url', image('data:image/tiff;base64,AAAA')],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }],
    [
      'messages[0].content[0].file',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    ],
    ['tools[0].type', { tools: [{ type: 'custom' }] }],
    [
      'tool_choice',
      { tools: [{ type: 'function', function: { name: 'a' } }], toolChoice: { type: 'allowed_tools' } },
    ],
    ['response_format.type', { responseFormat: { type: 'grammar' } }],
    [
      'messages[0].tool_calls[0].function.arguments',
      {
        messages: [
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'a', arguments: '[' } }],
          },
        ],
      },
    ],
  ]
  testRefusedFields(bedrockConverse, target, refused)
})
