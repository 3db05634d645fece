import { expect, test } from 'bun:test'
import type { JsonObject } from '../core/json.ts'
import { compact } from './read.ts'

test('compact leaves out what is undefined and nothing else', () => {
  expect(Object.entries(compact({ a: undefined, b: null, c: false, d: 0, e: '', f: [] }))).toEqual([
    ['b', null],
    ['c', false],
    ['d', 0],
    ['e', ''],
    ['f', []],
  ])
})

test('compact gives no object another prototype', () => {
  const hostile = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}') as JsonObject
  const said = compact(hostile)
  expect(Object.getPrototypeOf(said)).toBe(Object.prototype)
  expect(said).toEqual({ a: 1 })
})
