import { expect, test } from 'bun:test'
import { chatRequest } from '../../../test/support/chatSamples.ts'
import type { ToolCall } from './request.ts'
import { certainText } from './certainText.ts'

const TOOLS = [{ type: 'function', function: { name: 'now', description: 'Tells the time.' } }]

test('what messages say, the arguments of calls and the tools are certain to be read', () => {
  const text = certainText(
    chatRequest({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'What time is it?' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'now', arguments: '{"zone":"CET"}' } },
            { id: 'd', type: 'custom', custom: { name: 'sh', input: 'date -u' } } as unknown as ToolCall,
          ],
        },
      ],
      tools: TOOLS,
    }),
  )
  for (const part of ['Be brief.', 'What time is it?', '{"zone":"CET"}', 'date -u', 'now', 'Tells the time.'])
    expect(text).toContain(part)
})

test('names, reasoning, signatures, media, their addresses and fields that a provider may drop are not', () => {
  const secret = 'unread'
  const text = certainText(
    chatRequest({
      messages: [
        {
          role: 'user',
          name: secret,
          content: [{ type: 'image_url', image_url: { url: `https://a.example/${secret}` } }],
        },
        {
          role: 'user',
          content: [
            { type: 'input_audio', input_audio: { data: secret } },
            { type: 'x', x: secret },
          ],
        },
        {
          role: 'assistant',
          content: 'Hi',
          reasoning_content: secret,
          reasoning_details: [{ type: 'reasoning.encrypted', data: secret }],
        },
      ],
      tools: [{ type: 'function', function: { name: secret } }],
      toolChoice: 'none',
      stop: [secret],
      extra: { metadata: { a: secret } },
    }),
  )
  expect(text).toBe('Hi')
})
