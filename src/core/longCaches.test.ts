import { expect, test } from 'bun:test'
import type { Json } from './json.ts'
import { findLongCache } from './longCaches.ts'

const HOUR = { type: 'ephemeral', ttl: '1h' }
const DAY = { mode: 'explicit', ttl: '24h' }

test.each<[param: string, body: Json]>([
  ['cache_control.ttl', { cache_control: HOUR }],
  ['prompt_cache_options.ttl', { prompt_cache_options: DAY }],
  ['tools[0].cache_control.ttl', { tools: [{ type: 'function', cache_control: HOUR }] }],
  ['tools[1].function.cache_control.ttl', { tools: [{}, { function: { cache_control: HOUR } }] }],
  ['messages[0].cache_control.ttl', { messages: [{ role: 'user', content: 'Hi', cache_control: HOUR }] }],
  [
    'messages[0].content[1].prompt_cache_breakpoint.ttl',
    { messages: [{ content: [{ type: 'text' }, { type: 'text', prompt_cache_breakpoint: DAY }] }] },
  ],
  ['input[1].prompt_cache_breakpoint.ttl', { input: [{ role: 'user' }, { prompt_cache_breakpoint: DAY }] }],
  ['input[0].content[0].cache_control.ttl', { input: [{ content: [{ cache_control: HOUR }] }] }],
  ['input[0].output[0].cache_control.ttl', { input: [{ output: [{ cache_control: HOUR }] }] }],
  ['input[0].content[0][0].cacheControl.TTL', { input: [{ content: [[{ cacheControl: { TTL: 3600 } }]] }] }],
  ['system[0].cache_control.ttl', { system: [{ type: 'text', text: 'x', cache_control: HOUR }] }],
])('a prompt cache with a longer life is refused as %s', (param, body) => {
  expect(findLongCache(body)).toMatchObject({ code: 'invalid_request', param })
})

test('marks of the usual life pass, and what only the caller reads', () => {
  const usual = { cache_control: { type: 'ephemeral', ttl: '5m' }, prompt_cache_breakpoint: { ttl: '30m' } }
  const own = { cache_control: HOUR }
  expect(
    findLongCache({
      ...usual,
      prompt_cache_options: { mode: 'implicit', ttl: '30m' },
      prompt_cache_retention: '24h',
      metadata: own,
      input: [{ ...usual, content: [{ ...usual, cache_control: { ttl: null } }] }],
      messages: [{ content: [{ type: 'tool_use', input: own }] }],
      tools: [{ input_schema: { properties: own } }, { function: { parameters: { properties: own } } }],
      text: { format: { schema: own } },
    }),
  ).toBeUndefined()
})
