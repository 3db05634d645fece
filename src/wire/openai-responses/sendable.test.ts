import { expect, test } from 'bun:test'
import type { Json } from '../../core/json.ts'
import { nameOfLeftOut, sendableItem } from './sendable.ts'

const TEXT = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }
const FILE = { type: 'input_file', file_id: 'file-1' }

test.each<[name: string, item: Json]>([
  ['unknown', null],
  ['unknown', 5],
  ['unknown', []],
  ['unknown', {}],
  ['unknown', { type: 'x'.repeat(50) }],
  ['item_reference', { type: 'item_reference', id: 'msg_1' }],
  ['mcp_call', { type: 'mcp_call', id: 'mcp_1', name: 'f', arguments: '{}' }],
  ['message', { type: 'message', role: 'user', content: [FILE] }],
  ['message', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }, FILE] }],
  ['message', { type: 'message', role: 'system', content: 'Hi' }],
  ['function_call', { type: 'function_call', call_id: 'c' }],
  ['reasoning', { type: 'reasoning', summary: [], encrypted_content: 'tollgate-v1:{}' }],
])('an item that cannot be sent again is left out as %s', (name, item) => {
  expect([sendableItem(item), nameOfLeftOut(item)]).toEqual([undefined, `previous_response_id[${name}]`])
})

test.each<[Json]>([
  [TEXT],
  [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{"file_id":"x"}' }],
  [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }],
  // Of the vendor's own tools: left out where the request is read.
  [{ type: 'web_search_call', id: 'ws_1', status: 'completed' }],
])('%j is sent as it is', (item) => {
  expect(sendableItem(item)).toBe(item)
})

test('what a message cites of the account of its provider is left out of it', () => {
  const annotations = [{ type: 'file_citation', file_id: 'file-1', index: 0 }]
  const cited = { ...TEXT, content: [{ type: 'output_text', text: 'Hi', annotations }] }
  expect(sendableItem(cited)).toEqual(TEXT)
})
