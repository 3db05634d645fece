import { expect, test } from 'bun:test'
import { encodeTarget } from '../../test/support/chatSamples.ts'
import type { ChatRequest, ToolCall } from '../core/chat/request.ts'
import { WIRE_FORMATS } from './formats.ts'
import { readableArguments } from './toolCalls.ts'
import { UnsupportedField } from './wire.ts'

const CUSTOM = { id: 'call_1', type: 'custom', custom: { name: 'look', input: 'Oslo' } }

const REQUEST: ChatRequest = {
  model: 'm',
  n: 1,
  stream: false,
  includeUsage: false,
  extra: {},
  messages: [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, tool_calls: [CUSTOM as unknown as ToolCall] },
    { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
  ],
}

/** All but those of OpenAI, which have custom calls. */
const { 'openai-chat': _chat, 'openai-responses': _responses, ...OTHERS } = WIRE_FORMATS

test.each(Object.values(OTHERS))('$id names an earlier call that is of no function', ({ client }) => {
  const target = encodeTarget('m', { maxOutputTokens: 10 })
  try {
    client.encodeRequest(REQUEST, target)
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(UnsupportedField)
    expect((error as UnsupportedField).param).toBe('messages[1].tool_calls[0].type')
  }
})

test('arguments that are no JSON object read as none', () => {
  const call = (text: string): ToolCall => ({
    id: 'a',
    type: 'function',
    function: { name: 'f', arguments: text },
  })
  expect(readableArguments(call('{"at":1}'))).toEqual({ at: 1 })
  expect(readableArguments(call('[1]'))).toEqual({ INVALID_JSON: '[1]' })
  expect(readableArguments(call('{"at":'))).toEqual({ INVALID_JSON: '{"at":' })
  expect(readableArguments(call(' '))).toEqual({})
})
