import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { WIRE_FORMAT_IDS } from '../../src/wire/formats.ts'
import { cellOf } from './rule.ts'

const MESSAGES = 20_000
/** Twenty times what it takes; with time by the square of the length it was three seconds. */
const LIMIT_MS = 2_000

const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
const each = (make: (i: number) => JsonObject | readonly JsonObject[]) =>
  Array.from({ length: MESSAGES }, (_, i) => make(i)).flat()
const calling = (...ids: string[]): JsonObject => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map(call),
})
const result = (i: number): JsonObject => ({ role: 'tool', tool_call_id: `c${i}`, content: 'r' })

const SHAPES: Readonly<Record<string, () => readonly JsonObject[]>> = {
  'messages of the user': () => each(() => ({ role: 'user', content: 'r' })),
  'messages of the model': () => [
    ...each(() => ({ role: 'assistant', content: 'r' })),
    { role: 'user', content: 'r' },
  ],
  instructions: () => each((i) => ({ role: i % 2 === 0 ? 'user' : 'system', content: 'r' })),
  'rounds of a call and its result': () => each((i) => [calling(`c${i}`), result(i)]),
  'results of one turn': () => [
    calling(...Array.from({ length: MESSAGES }, (_, i) => `c${i}`)),
    ...each(result),
  ],
  'calls of the older interface': () =>
    each(() => [
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'r' },
    ]),
  'parts of white space': () => [
    { role: 'user', content: each((i) => ({ type: 'text', text: i % 2 === 0 ? 'r' : ' ' })) },
  ],
}

describe.each(WIRE_FORMAT_IDS)('%s', (id) => {
  test.each(Object.entries(SHAPES))('a long conversation takes time by its length: %s', (_, shape) => {
    const cell = cellOf(id)
    const messages = shape()
    const before = performance.now()
    cell.sent({ messages })
    expect(performance.now() - before).toBeLessThan(LIMIT_MS)
  })
})
