import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../../src/core/json.ts'
import { deepJson, testRefusedBodies } from '../../codecRefusals.ts'
import { cohereServer } from './cohereServer.ts'

describe('what a server reads', () => {
  const refusals: [string, JsonObject][] = [
    ['messages', { model: 'm' }],
    ['model', { messages: [{ role: 'user', content: 'a' }] }],
    ['messages[0].role', { model: 'm', messages: [{ content: 'a' }] }],
    ['messages[0].tool_call_id', { model: 'm', messages: [{ role: 'tool', content: 'a' }] }],
    ['p', { model: 'm', messages: [{ role: 'user', content: 'a' }], p: 1 }],
    [
      'stop_sequences',
      {
        model: 'm',
        messages: [{ role: 'user', content: 'a' }],
        stop_sequences: ['1', '2', '3', '4', '5', '6'],
      },
    ],
    ['tool_choice', { model: 'm', messages: [{ role: 'user', content: 'a' }], tool_choice: 'AUTO' }],
  ]
  testRefusedBodies(cohereServer, refusals)

  test('nesting beyond the stack is refused or carried, never thrown', () => {
    const document = { type: 'document', document: { data: deepJson() } }
    const body = { model: 'm', messages: [{ role: 'tool', tool_call_id: 'a', content: [document] }] }
    expect(cohereServer.decodeRequest(body)).toHaveProperty('ok')
  })
})
