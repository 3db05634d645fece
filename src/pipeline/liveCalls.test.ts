import { expect, test } from 'bun:test'
import type { KeyId, RequestId } from '../core/id.ts'
import { createLiveCalls } from './liveCalls.ts'

const BEGUN = { countersId: 'key_1' as KeyId, parallel: 1, stop: () => undefined }

test('a call that throws when it is visited is reported, and the calls behind it are visited', () => {
  const reported: [unknown, string][] = []
  const calls = createLiveCalls((error, id) => void reported.push([error, id]))
  const bug = new Error('a bug in one call')
  const visited: number[] = []
  calls.add({
    ...BEGUN,
    id: 'chatcmpl-1' as RequestId,
    tick() {
      throw bug
    },
  })
  calls.add({ ...BEGUN, id: 'chatcmpl-2' as RequestId, tick: (now) => void visited.push(now) })
  calls.tick(7)
  expect(visited).toEqual([7])
  expect(reported).toEqual([[bug, 'chatcmpl-1']])
})

test('the calls to providers of one key are counted together, those of a request with several choices too', () => {
  const calls = createLiveCalls(() => undefined)
  const tick = (): void => undefined
  const several = { ...BEGUN, id: 'chatcmpl-1' as RequestId, tick }
  const seat = calls.add(several)
  calls.add({ ...BEGUN, id: 'chatcmpl-2' as RequestId, tick })
  calls.add({ ...BEGUN, countersId: 'key_2' as KeyId, parallel: 5, id: 'chatcmpl-3' as RequestId, tick })
  several.parallel = 4
  expect(calls.parallelOf(BEGUN.countersId)).toBe(5)
  calls.delete(seat)
  expect(calls.parallelOf(BEGUN.countersId)).toBe(1)
})
