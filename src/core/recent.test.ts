import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { RecentMap } from './recent.ts'

test('a map of bounded size keeps the entries that were set last, whatever the order', () => {
  const keys = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 })
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 6 }), (set, sizeMax) => {
      const dropped: number[] = []
      const map = new RecentMap<number, number>(sizeMax, (value) => dropped.push(value))
      set.forEach((key, at) => map.set(key, at))
      const newest = [...new Set(set.toReversed())].slice(0, sizeMax).toReversed()
      expect([...map.keys()]).toEqual(newest)
      expect([...map.values()]).toEqual(newest.map((key) => set.lastIndexOf(key)))
      for (const at of dropped) expect(map.get(set[at] ?? -1)).not.toBe(at)
    }),
  )
})

test('reading does not make an entry newer', () => {
  const map = new RecentMap<string, number>(2).set('a', 1).set('b', 2)
  expect(map.get('a')).toBe(1)
  expect([...map.set('c', 3).keys()]).toEqual(['b', 'c'])
})
