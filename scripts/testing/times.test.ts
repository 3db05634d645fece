import { expect, test } from 'bun:test'
import times from '../../test/times.json'
import { budgetOf, outgrown, slownessOfRun, startOrder, testFiles } from './times.ts'

const LONG = Object.keys(times.files)
const took = (slowness: number, change: Record<string, number> = {}) =>
  new Map(Object.entries({ ...scaled(slowness), ...change }))
const scaled = (by: number) =>
  Object.fromEntries(Object.entries(times.files).map(([file, ms]) => [file, ms * by]))

test('a file outgrows its budget above one and a half times of it', () => {
  const budget = budgetOf(1_000)
  expect(outgrown(new Map([['src/a.test.ts', 1_500]]), budget, 1)).toEqual([])
  expect(outgrown(new Map([['src/a.test.ts', 1_501]]), budget, 1)).toEqual(['src/a.test.ts'])
  expect(outgrown(new Map([['src/a.test.ts', 1_501]]), budget, 2)).toEqual([])
})

test('a run in which every file is slower accuses none of them, but the one that is slower than the others', () => {
  expect(slownessOfRun(took(1))).toBe(1)
  expect(slownessOfRun(took(0.5))).toBe(1)
  expect(slownessOfRun(took(4))).toBeCloseTo(4)
  const [first = ''] = LONG
  const run = took(4, { [first]: 1_000_000 })
  expect(outgrown(run, budgetOf(1_000), slownessOfRun(run))).toEqual([first])
})

test('one slow file of a small run does not excuse itself', () => {
  const [first = ''] = LONG
  expect(slownessOfRun(new Map([[first, 1_000_000]]))).toBe(1)
})

test('every file is started once, the longest first, and a long one never ends the run', () => {
  const files = testFiles(`${import.meta.dir}/../..`)
  const order = startOrder(files)
  expect(order.toSorted()).toEqual(files.toSorted())
  expect(LONG).toContain(order[0] ?? '')
  expect(LONG).not.toContain(order.at(-1) ?? '')
})

test('each budget is that of a file', () => {
  expect(testFiles(`${import.meta.dir}/../..`)).toEqual(expect.arrayContaining(LONG))
})
