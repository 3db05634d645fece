import { skipFor } from './runEvents.ts'

/** Set to `1` by `npm run test:long`. */
export const LONG_VARIABLE = 'TOLLGATE_TEST_LONG'
/** Set by `npm run test:long -- --minutes N`. */
export const MINUTES_VARIABLE = 'TOLLGATE_TEST_MINUTES'
/** Set by the test command: how long one test may take, in milliseconds. */
export const TEST_LIMIT_VARIABLE = 'TOLLGATE_TEST_LIMIT_MS'
const TEST_LIMIT_DEFAULT_MS = 60_000

/** Whether tests run in their long form, be it all of it or what fits into the minutes. */
export const isLong: boolean = process.env[LONG_VARIABLE] === '1'

/** How long one test may take: for those that take longer than the default of `bun test`, 5 s. */
export const TEST_LIMIT_MS: number = Number(process.env[TEST_LIMIT_VARIABLE] ?? TEST_LIMIT_DEFAULT_MS)

/** Whether the long form has a budget of minutes. */
const isBudgeted = process.env[MINUTES_VARIABLE] !== undefined

/** How much of something a test does: little in every run, everything in the long one; less where minutes are counted. */
export function scaled<Value>(amounts: {
  readonly short: Value
  readonly long: Value
  /** What the long form does within a budget of minutes. Default: `long`. */
  readonly budgeted?: Value
}): Value {
  if (!isLong) return amounts.short
  return isBudgeted && amounts.budgeted !== undefined ? amounts.budgeted : amounts.long
}

/** For `test.skipIf`: what only the long form does. */
export function onlyLong(): boolean {
  return skipFor(isLong ? undefined : 'takes too long for every run; npm run test:long has it')
}

export interface Repeats {
  readonly short: number
  readonly long: number
  /** With a budget of minutes: the part of them that may be spent here. All tests of both cores together have 2. */
  readonly share: number
}

/** Counts from 0: little in every run, all in the long form, with a budget of minutes what fits into the share; at least once. */
export function* repeats({ short, long, share }: Repeats): Generator<number> {
  const minutes = process.env[MINUTES_VARIABLE]
  const budgetMs = minutes === undefined ? Infinity : share * Number(minutes) * 60_000
  const startedAt = performance.now()
  const times = scaled({ short, long })
  for (let done = 0; done < times; done++) {
    if (done > 0 && performance.now() - startedAt > budgetMs) return
    yield done
  }
}
