import { describe, expect, test } from 'bun:test'
import { deepJson, testRefusedBodies } from '../../../test/support/codecRefusals.ts'
import type { JsonObject } from '../../core/json.ts'
import { mistralChat } from './mistralChat.ts'

describe('what is read from callers', () => {
  const refusals: [string, JsonObject][] = [
    ['messages', { model: 'm' }],
    ['messages', { model: 'm', messages: [] }],
    ['model', { messages: [{ role: 'user', content: 'a' }] }],
    [
      'messages[1].role',
      {
        model: 'm',
        messages: [
          { role: 'user', content: 'a' },
          { role: 'robot', content: 'b' },
        ],
      },
    ],
    ['messages[0].content', { model: 'm', messages: [{ role: 'user' }] }],
    ['temperature', { model: 'm', messages: [{ role: 'user', content: 'a' }], temperature: 3 }],
    ['n', { model: 'm', messages: [{ role: 'user', content: 'a' }], n: 1.5 }],
    [
      'tools[0].function.name',
      { model: 'm', messages: [{ role: 'user', content: 'a' }], tools: [{ function: {} }] },
    ],
    ['tool_choice', { model: 'm', messages: [{ role: 'user', content: 'a' }], tool_choice: 'sometimes' }],
  ]
  testRefusedBodies(mistralChat, refusals)

  test('nesting beyond the stack is refused or carried, never thrown', () => {
    const call = { id: 'D681PevKs', function: { name: 'look', arguments: deepJson() } }
    const body = { model: 'm', messages: [{ role: 'assistant', tool_calls: [call] }] }
    expect(mistralChat.server.decodeRequest(body)).toHaveProperty('ok')
  })
})
