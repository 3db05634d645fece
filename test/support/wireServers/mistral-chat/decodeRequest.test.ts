import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../../src/core/json.ts'
import { deepJson, testRefusedBodies } from '../../codecRefusals.ts'
import { mistralServer } from './mistralServer.ts'

describe('what a server reads', () => {
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
  testRefusedBodies(mistralServer, refusals)

  test('nesting beyond the stack is refused or carried, never thrown', () => {
    const call = { id: 'D681PevKs', function: { name: 'look', arguments: deepJson() } }
    const body = { model: 'm', messages: [{ role: 'assistant', tool_calls: [call] }] }
    expect(mistralServer.decodeRequest(body)).toHaveProperty('ok')
  })
})
