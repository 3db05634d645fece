import { expect, test } from 'bun:test'
import { nano } from './money.ts'
import { type Overrun, writeoffCause } from './writeoff.ts'

const CALL: Overrun = {
  held: nano(100n),
  cost: nano(200n),
  promptTokens: 50,
  reckonedPromptTokens: 50,
  seen: true,
}

test.each<[string, string, Partial<Overrun>]>([
  ['hold_gone', 'the hold would have paid it', { cost: nano(100n), promptTokens: 60, seen: false }],
  ['prompt', 'the prompt is longer', { promptTokens: 51 }],
  ['prompt', 'the prompt is longer, and the output was not seen', { promptTokens: 51, seen: false }],
  ['seen_output', 'only the output is', {}],
  ['unseen_output', 'only the output is, and was not seen', { seen: false }],
])('of several causes a write-off has the first that applies: %s where %s', (cause, _, changes) => {
  expect<string>(writeoffCause({ ...CALL, ...changes })).toBe(cause)
})
