import { expect } from 'bun:test'
import type { JsonObject } from '../../../src/core/json.ts'
import type { Rule } from '../rule.ts'

/** What clients write for "nothing", and what hangs on it. */
const NOTHING: readonly JsonObject[] = [
  { tools: [], tool_choice: 'auto', parallel_tool_calls: true },
  { tools: [], tool_choice: 'required' },
  { tools: null, tool_choice: 'none', parallel_tool_calls: false },
  { tool_choice: { type: 'function', function: { name: 'f' } } },
  { functions: [], function_call: 'auto' },
  { function_call: 'none' },
  { stop: [] },
  { logit_bias: {} },
  { metadata: {} },
  { modalities: [] },
  { audio: {}, prediction: {} },
  { response_format: {} },
  { stream_options: {} },
  { stream_options: { include_usage: true } },
  { stream: false, stream_options: { include_usage: true, include_obfuscation: false } },
  { logprobs: false, top_logprobs: 0 },
  { top_logprobs: 0 },
  { models: [], provider: {} },
  { provider: { order: [], only: [], ignore: [] } },
]

/** What a format needs changed in a request is changed as a whole. */
export const REQUEST_RULES: readonly Rule[] = [
  {
    name: 'an empty list or object is sent as if it were absent, with what hangs on it',
    check(cell) {
      const plain = { ...cell.sent({}), dropped: [] }
      for (const nothing of NOTHING) {
        const { logprobs: _, ...body } = cell.sent(nothing).body
        expect([nothing, { ...cell.sent(nothing), body }]).toEqual([nothing, plain])
      }
    },
  },
  {
    name: 'empty lists of a message are sent as if they were absent',
    check(cell) {
      const turns = (more: JsonObject) => ({
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello', ...more },
          { role: 'user', content: 'Bye' },
        ],
      })
      const plain = cell.sent(turns({}))
      for (const nothing of [{ tool_calls: [] }, { reasoning_details: [], images: [] }, { name: null }])
        expect([nothing, cell.sent(turns(nothing))]).toEqual([nothing, plain])
    },
  },
  {
    name: 'an image is sent with the media type that its bytes have, however its caller writes it',
    check(cell) {
      const image = (head: string) => ({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is it?' },
              { type: 'image_url', image_url: { url: `${head},/9j/4AAQSkZJRgABAQAAAQABAAD` } },
            ],
          },
        ],
      })
      const plain = cell.sent(image('data:image/jpeg;base64'))
      expect(JSON.stringify(plain.body)).toContain('jpeg')
      for (const head of [
        'data:image/jpg;base64',
        'DATA:IMAGE/JPEG;BASE64',
        'data:image/jpeg;charset=utf-8;base64',
        'data:image/png;base64',
        'data:application/octet-stream;base64',
      ])
        expect([head, cell.sent(image(head))]).toEqual([head, plain])
    },
  },
]
