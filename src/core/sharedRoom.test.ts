import { expect, test } from 'bun:test'
import type { WorkspaceId } from './id.ts'
import { createSharedRoom } from './sharedRoom.ts'

const KIB = 1024
const idOf = (number: number) => `ws_${number}` as WorkspaceId

test('a workspace takes no more than it leaves free, and there is always some for another', () => {
  const room = createSharedRoom(() => 1024 * KIB)
  const taken: number[] = []
  for (let number = 0; number < 8; number++) {
    let bytes = 0
    for (; room.hasRoom(idOf(number), KIB); bytes += KIB) room.take(idOf(number), KIB)
    taken.push(bytes / KIB)
  }
  expect(taken).toEqual([512, 256, 128, 64, 32, 16, 8, 4])
  expect(room.bytes).toBe(1020 * KIB)
})

test('workspaces that go on asking end with the same share of the room', () => {
  const room = createSharedRoom(() => 1024 * KIB)
  const shares = [0, 0, 0]
  const ask = (number: number) => {
    if (!room.hasRoom(idOf(number), KIB)) return
    room.take(idOf(number), KIB)
    shares[number] = (shares[number] ?? 0) + KIB
  }
  for (let round = 0; round < 512; round++) ask(0)
  // As those of the first one end, each asks for what became free.
  for (let round = 0; round < 2_048; round++) {
    const [first = 0] = shares
    if (first > 0) {
      room.giveBack(idOf(0), KIB)
      shares[0] = first - KIB
    }
    for (const number of [1, 2, 0]) ask(number)
  }
  for (const share of shares) expect(Math.abs(share / KIB - 256)).toBeLessThanOrEqual(2)
})
