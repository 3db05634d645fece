import { describe, expect, test } from 'bun:test'
import { NO_USAGE, type ReportedUsage, type Usage, addUsage, promptOf, sumUsage } from './usage.ts'
import { isDoubtful, judgeReport, usageFrom } from './usageReport.ts'

const CEILING = { promptTokens: 1_000, completionTokens: 400 }
/** Our own count, where one is needed. */
const COUNTED = { promptTokens: 33, completionTokens: 7, reasoningTokens: 3 }
const HONEST: Usage = {
  promptTokens: 1_000,
  cachedTokens: 400,
  cacheWriteTokens: 600,
  completionTokens: 400,
  reasoningTokens: 400,
}

function read(report: ReportedUsage, hasText = true) {
  const judged = judgeReport(report, CEILING, { promptLeast: 1, hasText: () => hasText })
  const usage = usageFrom(judged, COUNTED)
  return { usage, doubtful: isDoubtful(judged, usage), partReplaced: judged.partReplaced }
}

test('a report that is just within every bound is taken as it is', () => {
  expect(read(HONEST)).toEqual({ usage: HONEST, doubtful: false, partReplaced: false })
})

describe('a prompt is judged by itself', () => {
  test.each([1_001, -1, 0, 12.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300])(
    '%p tokens are replaced by our count; the completion stays, and cached tokens are clamped to our count',
    (promptTokens) => {
      const { usage, doubtful } = read({ ...HONEST, promptTokens, cachedTokens: 20, cacheWriteTokens: 20 })
      expect(usage).toEqual({ ...HONEST, promptTokens: 33, cachedTokens: 20, cacheWriteTokens: 13 })
      expect(doubtful).toBe(true)
    },
  )
})

describe('a completion is judged by itself', () => {
  test.each([401, -1, 12.5, Number.NaN, Number.POSITIVE_INFINITY])(
    '%p tokens are replaced by our count; the prompt stays, and reasoning is clamped to our count',
    (completionTokens) => {
      const { usage, doubtful } = read({ ...HONEST, completionTokens, reasoningTokens: 8 })
      expect(usage).toEqual({ ...HONEST, completionTokens: 7, reasoningTokens: 7 })
      expect(doubtful).toBe(true)
    },
  )

  test('no tokens where there is text are no count; where there is none they are', () => {
    const silent = { ...HONEST, completionTokens: 0, reasoningTokens: 0 }
    expect(read(silent).usage.completionTokens).toBe(7)
    expect(read(silent, false)).toMatchObject({ usage: silent, doubtful: false })
  })
})

describe('a report that lacks some of the output', () => {
  test('takes the prompt as reported and the output as counted, without a doubt', () => {
    const { usage, doubtful } = read(promptOf(HONEST))
    expect(usage).toEqual({ ...HONEST, completionTokens: 7, reasoningTokens: 3 })
    expect(doubtful).toBe(false)
  })

  test('whose prompt cannot be true is doubtful', () => {
    const { usage, doubtful } = read(promptOf({ ...HONEST, promptTokens: 1_001 }))
    expect(usage.promptTokens).toBe(33)
    expect(doubtful).toBe(true)
  })

  test('makes the sum of several calls one', () => {
    const sum = addUsage(promptOf(HONEST), { ...HONEST, completionTokens: 300 })
    expect(sum).toMatchObject({ promptTokens: 2_000, completionTokens: 300, lacks: 'output' })
  })

  test('counts for as much output as it has, where the count has less', () => {
    const { usage, doubtful } = read({ ...promptOf(HONEST), completionTokens: 40, reasoningTokens: 5 })
    expect(usage).toEqual({ ...HONEST, completionTokens: 40, reasoningTokens: 5 })
    expect(doubtful).toBe(false)
  })
})

describe('a report that lacks calls', () => {
  const sum = (promptTokens: number, completionTokens: number): ReportedUsage => ({
    ...NO_USAGE,
    promptTokens,
    completionTokens,
    lacks: 'calls',
  })

  test.each([
    [sum(20, 5), 33, 7],
    [sum(40, 5), 40, 7],
    [sum(20, 9), 33, 9],
  ])('is the least of prompt and output: %p', (report, promptTokens, completionTokens) => {
    const { usage, doubtful } = read(report)
    expect(usage).toMatchObject({ promptTokens, completionTokens })
    expect(doubtful).toBe(false)
  })

  test('that cannot be true is doubtful, and the count takes its place', () => {
    for (const report of [sum(1_001, 9), sum(20, 401), sum(-1, 9), sum(20, 0.5)]) {
      expect(read(report).doubtful).toBe(true)
    }
    expect(read(sum(1_001, 401)).usage).toMatchObject({ promptTokens: 33, completionTokens: 7 })
  })

  test('is what several calls reported of which one has not', () => {
    expect(sumUsage([undefined, HONEST, HONEST])).toMatchObject({ promptTokens: 2_000, lacks: 'calls' })
    expect(sumUsage([HONEST])).toEqual(HONEST)
    expect(sumUsage([undefined])).toBeUndefined()
  })
})

describe('parts', () => {
  test('beyond their wholes are clamped and flagged, cached before written', () => {
    const { usage, doubtful, partReplaced } = read({
      ...HONEST,
      cachedTokens: 700,
      cacheWriteTokens: 700,
      completionTokens: 10,
      reasoningTokens: 11,
    })
    expect(usage).toMatchObject({ promptTokens: 1_000, cachedTokens: 700, cacheWriteTokens: 300 })
    expect(usage).toMatchObject({ completionTokens: 10, reasoningTokens: 10 })
    expect([doubtful, partReplaced]).toEqual([true, false])
  })

  test.each(['cachedTokens', 'cacheWriteTokens', 'reasoningTokens'] as const)(
    '%s that are no count are none, and that is ours',
    (part) => {
      for (const count of [-1, 0.5, Number.NaN, 1e300]) {
        const { usage, doubtful, partReplaced } = read({ ...HONEST, [part]: count })
        expect(usage).toEqual({ ...HONEST, [part]: 0 })
        expect([doubtful, partReplaced]).toEqual([true, true])
      }
    },
  )
})

describe('a total beyond prompt and completion', () => {
  const SPOKEN = { ...HONEST, promptTokens: 9, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 12 }

  test.each([0, 300])('is reasoning that belongs to the completion (%p reported)', (reasoningTokens) => {
    expect(read({ ...SPOKEN, reasoningTokens, totalTokens: 321 })).toEqual({
      usage: { ...SPOKEN, completionTokens: 312, reasoningTokens: 300 },
      doubtful: false,
      partReplaced: false,
    })
  })

  test('tells nothing where the report names another count of reasoning', () => {
    const usage = { ...SPOKEN, reasoningTokens: 5 }
    expect(read({ ...usage, totalTokens: 321 }).usage).toEqual(usage)
  })

  test('tells nothing where the prompt left its cached tokens out', () => {
    const usage = { ...SPOKEN, cachedTokens: 4, reasoningTokens: 0 }
    expect(read({ ...usage, totalTokens: 9 + 12 + 4 }).usage).toEqual(usage)
  })

  test.each([7, 12.5, 1e300, 9 + 401, -5])(
    'that cannot be true (%p) spoils nothing beside it',
    (totalTokens) => {
      const usage = { ...SPOKEN, reasoningTokens: 0 }
      expect(read({ ...usage, totalTokens })).toEqual({ usage, doubtful: false, partReplaced: false })
    },
  )

  test('tells nothing of a prompt that cannot be true', () => {
    const usage = read({ ...SPOKEN, promptTokens: -9, reasoningTokens: 0, totalTokens: 321 }).usage
    expect(usage).toMatchObject({ promptTokens: 33, completionTokens: 12, reasoningTokens: 0 })
  })
})
