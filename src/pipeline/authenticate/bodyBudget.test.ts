import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { LARGE_BODY_BYTES, SMALL_BODY_BYTES } from '../../core/bodyWeight.ts'
import type { KeyId, WorkspaceId } from '../../core/id.ts'
import { type BodyOwner, type BodyShare, SMALL_BODIES_BYTES, createBodyBudget } from './bodyBudget.ts'

const LIMITS = { process: 100, workspace: 60, key: 40 }

/** Each workspace has two keys. */
function ownerOf(key: number): BodyOwner {
  return { keyId: `key_${key}` as KeyId, workspaceId: `ws_${key >> 1}` as WorkspaceId }
}

function budgetOf(limits = LIMITS, smallBytesMax = 0) {
  return createBodyBudget(
    () => limits,
    () => undefined,
    smallBytesMax,
  )
}

test('whatever is taken and given back, no key, no workspace and not the process has more than its limit, and room is never lost', () => {
  const act = fc.record({ key: fc.nat({ max: 5 }), bytes: fc.nat({ max: 30 }), release: fc.boolean() })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const budget = budgetOf()
      const open: { key: number; share: BodyShare; own: number }[] = []
      const sumOf = (found: typeof open) => found.reduce((sum, { own }) => sum + own, 0)
      for (const { key, bytes, release } of acts) {
        if (release) {
          const call = open.shift()
          call?.share.release()
          call?.share.release()
        } else {
          const share = budget.open(ownerOf(key))
          const ofKey = sumOf(open.filter((call) => call.key === key))
          const ofWorkspace = sumOf(open.filter((call) => call.key >> 1 === key >> 1))
          const fits =
            ofKey + bytes <= LIMITS.key &&
            ofWorkspace + bytes <= LIMITS.workspace &&
            sumOf(open) + bytes <= LIMITS.process
          expect(share.hasRoom(bytes)).toBe(fits)
          expect(share.take(bytes)).toBe(fits)
          open.push({ key, share, own: fits ? bytes : 0 })
        }
        expect(budget.bytes).toBe(sumOf(open))
      }
      for (const { share } of open) share.release()
      expect(budget.bytes).toBe(0)
      expect(budget.open(ownerOf(0)).take(LIMITS.key)).toBe(true)
    }),
  )
})

test('bodies that grow while others end leave nothing behind, in the room for small ones and in the room of all', () => {
  const act = fc.record({ body: fc.nat({ max: 5 }), bytes: fc.nat({ max: 50_000 }), release: fc.boolean() })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const budget = budgetOf({ process: 500_000, workspace: 300_000, key: 200_000 }, 150_000)
      const shares = Array.from({ length: 6 }, (_, key) => budget.open(ownerOf(key)))
      for (const { body, bytes, release } of acts) {
        const share = shares[body]
        if (release) share?.release()
        else {
          const room = share?.hasRoom(bytes)
          expect(share?.take(bytes)).toBe(room)
        }
        expect(budget.bytes).toBe(shares.reduce((sum, one) => sum + one.bytes, 0))
      }
      for (const share of shares) share.release()
      expect(budget.bytes).toBe(0)
    }),
  )
})

test('large bodies, of however many keys and workspaces, leave the room for small ones', () => {
  const budget = budgetOf(
    { process: 8 * LARGE_BODY_BYTES, workspace: 4 * LARGE_BODY_BYTES, key: 4 * LARGE_BODY_BYTES },
    SMALL_BODIES_BYTES,
  )
  const [greedy, other, small] = [ownerOf(0), ownerOf(2), ownerOf(4)]
  for (const owner of [greedy, greedy, other, other])
    expect(budget.open(owner).take(LARGE_BODY_BYTES)).toBe(true)
  expect(budget.open(small).take(SMALL_BODY_BYTES + 1)).toBe(false)
  for (const owner of [small, greedy, other]) {
    const share = budget.open(owner)
    expect(share.take(SMALL_BODY_BYTES)).toBe(true)
    expect(share.take(1)).toBe(false)
  }
})

test('a body that outgrows the small ones gives back the room that is kept for them', () => {
  const budget = budgetOf({ process: 500_000, workspace: 500_000, key: 500_000 }, 2 * SMALL_BODY_BYTES)
  const growing = budget.open(ownerOf(0))
  expect(growing.take(SMALL_BODY_BYTES)).toBe(true)
  expect(growing.take(1)).toBe(true)
  expect(budget.bytes).toBe(SMALL_BODY_BYTES + 1)
  const filling = budgetOf({ process: 0, workspace: 0, key: 0 }, 2 * SMALL_BODY_BYTES)
  expect(filling.open(ownerOf(0)).take(SMALL_BODY_BYTES)).toBe(true)
  expect(filling.open(ownerOf(0)).take(1)).toBe(false)
})
