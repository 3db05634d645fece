import { describe, expect, test } from 'bun:test'
import { chatRequest, encodeTarget } from '../../../test/support/chatSamples.ts'
import { testRefusedFields } from '../../../test/support/codecRefusals.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import { cohereChat } from './cohereChat.ts'

const target = encodeTarget('command-a')

function encode(more: Partial<ChatRequest>) {
  return cohereChat.client.encodeRequest(chatRequest(more), target)
}

describe('what is sent to Cohere', () => {
  test('ranges are kept: temperature to 1, p to 0.99, penalties to 1 and only one of them', () => {
    const { body, dropped } = encode({ temperature: 2, topP: 1, frequencyPenalty: 1.5, presencePenalty: 0.5 })
    expect(body).toMatchObject({ temperature: 1, p: 0.99, frequency_penalty: 1 })
    expect(body).not.toHaveProperty('presence_penalty')
    expect(dropped).toEqual(['presence_penalty'])
  })

  test('an absent temperature is 1, not the 0.3 of Cohere', () => {
    expect(encode({}).body['temperature']).toBe(1)
  })

  test('one choice is asked for, whatever n is', () => {
    expect(encode({ n: 3 }).body).not.toHaveProperty('n')
  })

  test('the plan before tool calls goes back as tool_plan', () => {
    const calls = [{ id: 'look_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }]
    const { body } = encode({ messages: [{ role: 'assistant', content: 'I will look.', tool_calls: calls }] })
    expect(body['messages']).toEqual([{ role: 'assistant', tool_plan: 'I will look.', tool_calls: calls }])
  })

  test('harmless fields are dropped and named', () => {
    const { dropped } = encode({
      user: 'u',
      parallelToolCalls: false,
      seed: -1,
      extra: { logit_bias: {}, store: null },
    })
    expect(dropped).toEqual(['seed', 'user', 'parallel_tool_calls', 'logit_bias'])
  })

  const tool = { type: 'function' as const, function: { name: 'look' } }
  const refused: [string, Partial<ChatRequest>][] = [
    ['tool_choice', { tools: [tool], toolChoice: { type: 'function', function: { name: 'look' } } }],
    ['tools[0].type', { tools: [{ type: 'custom' }] }],
    ['top_logprobs', { logprobs: true, topLogprobs: 3 }],
    ['response_format', { tools: [tool], responseFormat: { type: 'json_object' } }],
    ['web_search_options', { extra: { web_search_options: {} } }],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }],
  ]
  testRefusedFields(cohereChat, target, refused)
})
