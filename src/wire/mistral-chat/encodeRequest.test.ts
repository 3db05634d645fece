import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { chatRequest, encodeTarget } from '../../../test/support/chatSamples.ts'
import { testRefusedFields } from '../../../test/support/codecRefusals.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import { mistralChat } from './mistralChat.ts'
import { mistralId } from './toolCallId.ts'

const target = encodeTarget('mistral-large-latest', {
  quirks: { sendDefaultTemperature: true, maximumTemperature: 1 },
})

function encode(more: Partial<ChatRequest>) {
  return mistralChat.client.encodeRequest(chatRequest(more), target)
}

describe('what is sent to Mistral', () => {
  test('holds only fields that Mistral knows, and names those left out', () => {
    const { body, dropped } = encode({
      user: 'u',
      seed: 7,
      promptCacheKey: 'k',
      temperature: 1.7,
      includeUsage: true,
      stream: true,
      extra: { store: true, metadata: { a: 'b' }, logit_bias: { '1': 5 }, service_tier: 'default' },
      messages: [{ role: 'user', content: 'Hi', name: 'ada', unknown: 1 }],
    })
    expect(body).toEqual({
      model: 'mistral-large-latest',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      temperature: 1,
      random_seed: 7,
      prompt_cache_key: 'k',
      service_tier: 'standard_only',
    })
    expect(dropped).toEqual(['user', 'messages.name', 'store', 'metadata', 'logit_bias'])
  })

  test('an absent temperature is 1, and greedy sampling goes without top_p', () => {
    expect(encode({}).body['temperature']).toBe(1)
    const greedy = encode({ temperature: 0, topP: 0.5 })
    expect(greedy.body).not.toHaveProperty('top_p')
    expect(greedy.dropped).toEqual(['top_p'])
  })

  test("another provider's tool call ids become nine characters, call and answer alike", () => {
    const { body } = encode({
      messages: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_0123456789', type: 'function', function: { name: 'look', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_0123456789', content: 'rain' },
      ],
    })
    const [, assistant, tool] = body['messages'] as { tool_calls: { id: string }[]; tool_call_id: string }[]
    expect(assistant?.tool_calls[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(tool?.tool_call_id).toBe(assistant?.tool_calls[0]?.id ?? '')
  })

  test('distinct ids stay distinct, and native ones stay as they are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 50 }), (ids) => {
        expect(new Set(ids.map(mistralId)).size).toBe(ids.length)
      }),
    )
    expect(mistralId('D681PevKs')).toBe('D681PevKs')
  })

  test('an assistant stands between a tool and the next user; a begun answer is marked as a prefix', () => {
    const { body } = encode({
      messages: [
        { role: 'tool', tool_call_id: 'D681PevKs', content: 'rain' },
        { role: 'user', content: 'And?' },
        { role: 'assistant', content: 'Well,' },
      ],
    })
    expect(body['messages']).toEqual([
      { role: 'tool', tool_call_id: 'D681PevKs', content: 'rain' },
      { role: 'assistant', content: 'OK.' },
      { role: 'user', content: 'And?' },
      { role: 'assistant', content: 'Well,', prefix: true },
    ])
  })

  test('a user follows a tool where the model takes that', () => {
    const messages = [
      { role: 'tool', tool_call_id: 'D681PevKs', content: 'rain' },
      { role: 'user', content: 'And?' },
    ] as const
    const facts = { userAfterTool: true } as const
    const { body } = mistralChat.client.encodeRequest(chatRequest({ messages }), { ...target, facts })
    expect(body['messages']).toEqual(messages)
  })

  test('instructions follow the user or each other; others are moved to the top', () => {
    const say = (role: 'system' | 'user' | 'assistant', content: string) => ({ role, content })
    const call = { id: 'D681PevKs', type: 'function', function: { name: 'f', arguments: '{}' } } as const
    const calls = { role: 'assistant', content: null, tool_calls: [call] } as const
    const result = { role: 'tool', tool_call_id: 'D681PevKs', content: 'rain' } as const
    const roles = (...messages: ChatRequest['messages']) =>
      (encode({ messages }).body['messages'] as { role: string; content: unknown }[]).map(
        ({ role, content }) => `${role} ${String(content)}`,
      )
    expect(
      roles(
        say('user', 'a'),
        say('system', 'b'),
        say('system', 'c'),
        say('assistant', 'd'),
        say('user', 'e'),
      ),
    ).toEqual(['user a', 'system b', 'system c', 'assistant d', 'user e'])
    expect(
      roles(
        say('system', 'a'),
        say('user', 'b'),
        say('assistant', 'c'),
        say('system', 'd'),
        say('user', 'e'),
      ),
    ).toEqual(['system a', 'system d', 'user b', 'assistant c', 'user e'])
    expect(
      roles(say('user', 'a'), calls, result, say('system', 'b'), say('assistant', 'c'), say('user', 'd')),
    ).toEqual(['system b', 'user a', 'assistant ', 'tool rain', 'assistant c', 'user d'])
  })

  test('calls at the end are no answer that is begun', () => {
    const call = { id: 'D681PevKs', type: 'function', function: { name: 'f', arguments: '{}' } } as const
    const { body } = encode({ messages: [{ role: 'assistant', content: null, tool_calls: [call] }] })
    expect(JSON.stringify(body['messages'])).not.toContain('prefix')
  })

  const refused: [string, Partial<ChatRequest>][] = [
    ['logprobs', { logprobs: true }],
    ['tools[0].type', { tools: [{ type: 'custom', custom: {} }] }],
    [
      'tool_choice',
      { tools: [{ type: 'function', function: { name: 'a' } }], toolChoice: { type: 'allowed_tools' } },
    ],
    ['response_format.type', { responseFormat: { type: 'grammar' } }],
    ['modalities', { extra: { modalities: ['text', 'audio'] } }],
    [
      'messages[0].content[0].type',
      {
        messages: [
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] },
        ],
      },
    ],
  ]
  testRefusedFields(mistralChat, target, refused)

  test('tool calls of several kinds of answers are told apart even when the provider does not count them', () => {
    const decode = mistralChat.client.decodeStream()
    const chunk = (id: string) =>
      JSON.stringify({
        id: 'x',
        model: 'm',
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ id, index: 0, function: { name: 'look', arguments: '{}' } }] },
            finish_reason: null,
          },
        ],
      })
    const events = ['aaaaaaaaa', 'bbbbbbbbb'].flatMap((id) =>
      decode.push({ event: undefined, data: chunk(id) }),
    )
    const indices = events.flatMap((event) => (event.type === 'delta' ? (event.delta.tool_calls ?? []) : []))
    expect(indices.map((call) => call.index)).toEqual([0, 1])
  })
})
