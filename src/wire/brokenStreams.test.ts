import { expect, test } from 'bun:test'
import { refuse } from '../core/error.ts'
import { anthropicMessages } from './anthropic-messages/anthropicMessages.ts'
import { openAiChat } from './openai-chat/openAiChat.ts'

const ENVELOPE = { id: 'x', created: 1, model: 'm', includeUsage: true }
const BROKEN = refuse('upstream_error', 'The answer was interrupted.')

test.each([
  [
    openAiChat,
    'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"error":{"code":"upstream_error","message":"The answer was interrupted.","type":"upstream_error","param":null}}\n\n',
  ],
  [
    anthropicMessages,
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"The answer was interrupted.","code":"upstream_error","param":null},"request_id":"x"}\n\n',
  ],
])(
  'a stream that breaks off ends in the words of its format, and nothing follows: $id',
  ({ server }, last) => {
    const encoder = server.encodeStream(ENVELOPE)
    encoder.push({ type: 'start' })
    encoder.push({ type: 'delta', index: 0, delta: { content: 'Hel' } })
    expect(encoder.fail(BROKEN)).toBe(last)
    expect(encoder.push({ type: 'delta', index: 0, delta: { content: 'lo' } })).toEqual([])
    expect(encoder.push({ type: 'finish', index: 0, reason: 'stop' })).toEqual([])
    expect(encoder.end()).toEqual([])
  },
)
