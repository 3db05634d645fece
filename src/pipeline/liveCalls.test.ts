import { expect, test } from 'bun:test'
import type { RequestId } from '../core/id.ts'
import { createLiveCalls } from './liveCalls.ts'

test('a call that throws when it is visited is reported, and the calls behind it are visited', () => {
  const reported: [unknown, string][] = []
  const calls = createLiveCalls((error, id) => void reported.push([error, id]))
  const bug = new Error('a bug in one call')
  const visited: number[] = []
  calls.add({
    id: 'chatcmpl-1' as RequestId,
    tick() {
      throw bug
    },
  })
  calls.add({ id: 'chatcmpl-2' as RequestId, tick: (now) => void visited.push(now) })
  calls.tick(7)
  expect(visited).toEqual([7])
  expect(reported).toEqual([[bug, 'chatcmpl-1']])
})
