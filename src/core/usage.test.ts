import { expect, test } from 'bun:test'
import { addUsage, NO_USAGE, ownTotal, type ReportedUsage } from './usage.ts'

const PLAIN: ReportedUsage = { ...NO_USAGE, promptTokens: 9, completionTokens: 12 }

test('a total that is the sum of prompt and completion tells nothing, and any other does', () => {
  expect(ownTotal(21, PLAIN)).toEqual({})
  expect(ownTotal(undefined, PLAIN)).toEqual({})
  expect(ownTotal(321, PLAIN)).toEqual({ totalTokens: 321 })
})

test('the total of several calls counts the sum of those that report none of their own', () => {
  expect(addUsage(PLAIN, PLAIN)).toEqual({ ...PLAIN, promptTokens: 18, completionTokens: 24 })
  expect(addUsage(PLAIN, { ...PLAIN, totalTokens: 321 }).totalTokens).toBe(21 + 321)
})
