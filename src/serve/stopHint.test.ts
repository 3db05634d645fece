import { expect, test } from 'bun:test'
import { stopHint } from './serve.ts'

test.each([
  [0, 300_000, ''],
  [1, 300_000, 'Waiting for one call, at most 5 min. Press Ctrl-C again to end now.\n'],
  [3, 1_500, 'Waiting for 3 calls, at most 2 s. Press Ctrl-C again to end now.\n'],
])('with %p open calls and a drain of %p ms a person who stops the gateway reads %p', (calls, ms, hint) => {
  expect(stopHint(calls, ms)).toBe(hint)
})
