import { expect, test } from 'bun:test'
import { OutcomeUnknown, StoreUnavailable } from '../../core/ports/till.ts'
import { groupCalls } from './group.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'

test('calls of one turn are one group, and what arrives meanwhile is the next', async () => {
  const groups: number[][] = []
  const gates: (() => void)[] = []
  const grouped = groupCalls<number, number>(
    async (numbers) => {
      groups.push([...numbers])
      await new Promise<void>((resolve) => gates.push(resolve))
      return numbers.map((number) => number * 10)
    },
    { sizeMax: 3 },
  )
  const first = [1, 2].map((number) => grouped.call(number))
  await Promise.resolve()
  await Promise.resolve()
  const second = [3, 4, 5, 6].map((number) => grouped.call(number))
  gates[0]?.()
  expect(await Promise.all(first)).toEqual([10, 20])
  gates[1]?.()
  expect(await Promise.all(second.slice(0, 3))).toEqual([30, 40, 50])
  gates[2]?.()
  await grouped.idle()
  expect(await second[3]).toBe(60)
  expect(groups).toEqual([[1, 2], [3, 4, 5], [6]])
})

test('a request at fault fails alone', async () => {
  const grouped = groupCalls<number, number>(
    (numbers) => (numbers.includes(2) ? Promise.reject(new Error('two is wrong')) : Promise.resolve(numbers)),
    { sizeMax: 10 },
  )
  const answers = await Promise.allSettled([1, 2, 3].map((number) => grouped.call(number)))
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('when the database is away, those who wait for it fail with the group, and later calls try again', async () => {
  let available = false
  const grouped = groupCalls<number, number>(
    (numbers) =>
      available ? Promise.resolve(numbers) : Promise.reject(new StoreUnavailable('the database is away')),
    { sizeMax: 1 },
  )
  const answers = await Promise.allSettled([1, 2, 3].map((number) => grouped.call(number)))
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  available = true
  expect(await grouped.call(4)).toBe(4)
})

test('an unknown outcome is that of the group which was under way, not of those that waited behind it', async () => {
  const grouped = groupCalls<number, number>(() => Promise.reject(new OutcomeUnknown('no answer')), {
    sizeMax: 1,
  })
  const [first, second] = await Promise.all([1, 2].map((number) => rejectionOf(grouped.call(number))))
  expect(first).toBeInstanceOf(OutcomeUnknown)
  expect(second).toBeInstanceOf(StoreUnavailable)
  expect(second).not.toBeInstanceOf(OutcomeUnknown)
})
