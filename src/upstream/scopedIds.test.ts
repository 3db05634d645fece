import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { ChatRequest } from '../core/chat/request.ts'
import type { WorkspaceId } from '../core/id.ts'
import { requestWith } from '../../test/support/routerWorld.ts'
import { SCOPED_ID_LENGTH_MAX, withScopedIds } from './scopedIds.ts'

const A = 'ws_a' as WorkspaceId
const B = 'ws_b' as WorkspaceId

function idsOf({ user, promptCacheKey, extra }: ChatRequest): unknown[] {
  const { safety_identifier: identifier, metadata } = extra
  return [user, promptCacheKey, identifier, (metadata as { user_id?: unknown } | undefined)?.user_id]
}

function named(id: string): ChatRequest {
  return requestWith({
    user: id,
    promptCacheKey: id,
    extra: { safety_identifier: id, metadata: { user_id: id, trace: id } },
  })
}

test('two workspaces never name the same user or cache, and one names the same always alike', () => {
  const id = fc.string({ minLength: 1, maxLength: 600 })
  fc.assert(
    fc.property(id, id, (one, other) => {
      const [ofA, ofB, again] = [
        withScopedIds(named(one), A),
        withScopedIds(named(one), B),
        withScopedIds(named(other), A),
      ]
      for (const [i, mine] of idsOf(ofA).entries()) {
        expect(String(mine).length).toBeLessThanOrEqual(SCOPED_ID_LENGTH_MAX)
        expect(mine).not.toBe(one)
        expect(mine).not.toBe(idsOf(ofB)[i])
        expect(mine === idsOf(again)[i]).toBe(one === other)
      }
    }),
  )
})

test('everything else of the request stays as it is', () => {
  const request = named('anna')
  const { user: _, promptCacheKey: __, extra, ...rest } = withScopedIds(request, A)
  const { user: ___, promptCacheKey: ____, extra: _____, ...before } = request
  expect(rest).toEqual(before)
  expect(extra.metadata).toMatchObject({ trace: 'anna' })
  const plain = requestWith({ extra: { metadata: { trace: 'x' }, store: false } })
  expect(withScopedIds(plain, A)).toBe(plain)
})
