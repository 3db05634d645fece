import { expect, test } from 'bun:test'
import { createSeededRandom } from '../../test/support/seededRandom.ts'
import { Roster, type Seat } from './roster.ts'

test('has those who came and have not left, in whatever order they leave', () => {
  const random = createSeededRandom('roster')
  const roster = new Roster<number>()
  const there = new Map<number, Seat<number>>()
  for (let member = 0; member < 1_000; member++) {
    there.set(member, roster.add(member))
    const [leaves, seat] = [...there][random.integer(0, there.size - 1)] ?? []
    if (leaves === undefined || seat === undefined || random.chance(0.4)) continue
    roster.remove(seat)
    there.delete(leaves)
  }
  expect(there.size).toBeGreaterThan(100)
  expect(roster.members().toSorted((a, b) => a - b)).toEqual([...there.keys()])
  expect(roster.size).toBe(there.size)
  expect(roster.sum((member) => member)).toBe(Array.from(there.keys()).reduce((a, b) => a + b, 0))
})

test('a member leaves once', () => {
  const roster = new Roster<string>()
  const seat = roster.add('first')
  roster.add('second')
  roster.remove(seat)
  expect(() => roster.remove(seat)).toThrow('leaves once')
  expect(roster.members()).toEqual(['second'])
})
