import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { DAY_MS, MINUTE_MS, dayAt, minuteAt, takeWindows, utcDay, utcMonth, type Windows } from './limit.ts'
import type { Limits } from './ports/till.ts'

const NO_WINDOWS: Windows = { workspaceMinute: undefined, keyMinute: undefined, keyDay: undefined }
const NOON = Date.UTC(2026, 10, 20, 12)

function limits(workspacePerMinute: number, keyPerMinute: number | null, keyPerDay: number | null): Limits {
  return { workspacePerMinute, keyPerMinute, keyPerDay, keyConcurrent: null, keyMonthlySpend: null }
}

/** Takes the windows at each of the moments in turn. */
function takeAll(moments: readonly number[], given: Limits) {
  let windows = NO_WINDOWS
  return moments.map((at) => {
    const verdict = takeWindows(windows, given, at)
    if (verdict.kind === 'taken') windows = verdict.windows
    return { ...verdict, windows }
  })
}

describe('one window', () => {
  test('a limit of 60 lets 60 through and no more, and remaining falls by one each', () => {
    const verdicts = takeAll(Array<number>(61).fill(NOON), limits(60, null, null))
    expect(verdicts.map(({ rate }) => rate.remaining)).toEqual([
      ...Array.from({ length: 60 }, (_, i) => 59 - i),
      0,
    ])
    expect(verdicts.map(({ kind }) => kind)).toEqual([...Array<'taken'>(60).fill('taken'), 'exceeded'])
  })

  test('a minute opens with the first request counted in it and lasts 60 s', () => {
    const [first, last, next] = takeAll([NOON, NOON + MINUTE_MS - 1, NOON + MINUTE_MS], limits(1, null, null))
    expect(first).toMatchObject({ kind: 'taken', rate: { resetAt: NOON + MINUTE_MS } })
    expect(last).toMatchObject({ kind: 'exceeded', retryAfterMs: 1 })
    expect(next).toMatchObject({ kind: 'taken', rate: { resetAt: NOON + 2 * MINUTE_MS } })
  })

  test('a day is a UTC calendar day, also the leap day and the last of a year', () => {
    for (const day of ['2028-02-29', '2026-12-31', '2026-03-29']) {
      const lastMoment = Date.parse(`${day}T23:59:59.999Z`)
      const [taken, refused, nextDay] = takeAll(
        [lastMoment, lastMoment, lastMoment + 1],
        limits(100, null, 1),
      )
      expect(taken?.rate).toEqual({ name: 'key_day', limit: 1, remaining: 0, resetAt: lastMoment + 1 })
      expect(refused).toMatchObject({ kind: 'exceeded', retryAfterMs: 1 })
      expect(nextDay?.kind).toBe('taken')
    }
  })

  test('a limit lowered below what was counted leaves nothing, not less', () => {
    const windows = { ...NO_WINDOWS, workspaceMinute: { openedAt: NOON, count: 50 } }
    const verdict = takeWindows(windows, limits(10, null, null), NOON)
    expect(verdict).toMatchObject({ kind: 'exceeded', rate: { remaining: 0 } })
  })

  test('a limit of 0 lets nothing through', () => {
    const verdict = takeWindows(NO_WINDOWS, limits(0, null, null), NOON)
    expect(verdict).toMatchObject({ kind: 'exceeded', retryAfterMs: MINUTE_MS })
  })

  test('a request of a machine whose clock is behind counts in the open window', () => {
    const window = { openedAt: NOON, count: 5 }
    expect(minuteAt(window, NOON - 20)).toEqual(window)
    expect(dayAt({ openedAt: NOON - (NOON % DAY_MS), count: 5 }, NOON - (NOON % DAY_MS) - 20).count).toBe(5)
  })

  test('a window is never replaced by an older one, however late its request comes', () => {
    const midnight = NOON - (NOON % DAY_MS)
    for (const late of [1, 59_000, 61_000, 3_600_000, DAY_MS]) {
      expect(minuteAt({ openedAt: NOON, count: 5 }, NOON - late)).toEqual({ openedAt: NOON, count: 5 })
      expect(dayAt({ openedAt: midnight, count: 5 }, midnight - late)).toEqual({
        openedAt: midnight,
        count: 5,
      })
    }
  })

  test('a window of a clock that was wrong by more than a day locks nobody out', () => {
    const year = 365 * DAY_MS
    expect(minuteAt({ openedAt: NOON + year, count: 5 }, NOON)).toEqual({ openedAt: NOON, count: 0 })
    expect(dayAt({ openedAt: NOON + year, count: 5 }, NOON)).toMatchObject({ count: 0 })
  })
})

describe('several windows', () => {
  test('the tightest is the one with the least remaining; of two alike the one that resets later', () => {
    const verdict = takeWindows(NO_WINDOWS, limits(60, 30, 30), NOON)
    expect(verdict.rate).toMatchObject({ name: 'key_day', remaining: 29 })
    expect(takeWindows(NO_WINDOWS, limits(10, 30, 30), NOON).rate.name).toBe('workspace_minute')
  })

  test('a refusal names the exceeded window that resets last, so that waiting for it is enough', () => {
    const windows = {
      workspaceMinute: { openedAt: NOON - 59_000, count: 1 },
      keyMinute: { openedAt: NOON - 10_000, count: 1 },
      keyDay: undefined,
    }
    const verdict = takeWindows(windows, limits(1, 1, 5), NOON)
    expect(verdict).toMatchObject({ kind: 'exceeded', rate: { name: 'key_minute' }, retryAfterMs: 50_000 })
  })

  test('windows without a limit are counted, so that a limit set later knows of them', () => {
    const verdict = takeWindows(NO_WINDOWS, limits(60, null, null), NOON)
    if (verdict.kind !== 'taken') throw new Error('expected it to pass')
    expect(takeWindows(verdict.windows, limits(60, 1, null), NOON).kind).toBe('exceeded')
  })

  const gaps = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 120 })
  const anyLimits = fc.tuple(fc.nat(12), fc.option(fc.nat(12)), fc.option(fc.nat(40)))

  test('law: a request is counted in all of its windows or in none', () => {
    fc.assert(
      fc.property(gaps, anyLimits, (gaps, [workspace, minute, day]) => {
        let at = NOON
        let windows = NO_WINDOWS
        for (const gap of gaps) {
          at += gap
          const verdict = takeWindows(windows, limits(workspace, minute, day), at)
          if (verdict.kind === 'exceeded') continue
          const { workspaceMinute, keyMinute, keyDay } = verdict.windows
          expect(workspaceMinute?.count).toBe(minuteAt(windows.workspaceMinute, at).count + 1)
          expect(keyMinute?.count).toBe(minuteAt(windows.keyMinute, at).count + 1)
          expect(keyDay?.count).toBe(dayAt(windows.keyDay, at).count + 1)
          windows = verdict.windows
        }
      }),
    )
  })

  test('law: no window ever counts more than its limit, and a refusal has a full window', () => {
    fc.assert(
      fc.property(gaps, anyLimits, (gaps, [workspace, minute, day]) => {
        let at = NOON
        const given = limits(workspace, minute, day)
        let windows = NO_WINDOWS
        for (const gap of gaps) {
          at += gap
          const verdict = takeWindows(windows, given, at)
          const full =
            minuteAt(windows.workspaceMinute, at).count >= workspace ||
            (minute !== null && minuteAt(windows.keyMinute, at).count >= minute) ||
            (day !== null && dayAt(windows.keyDay, at).count >= day)
          expect(verdict.kind).toBe(full ? 'exceeded' : 'taken')
          if (verdict.kind === 'taken') windows = verdict.windows
        }
      }),
    )
  })

  test('law: whoever waits as long as a refusal says, and comes alone, is let through', () => {
    fc.assert(
      fc.property(gaps, anyLimits, (gaps, [workspace, minute, day]) => {
        fc.pre(workspace > 0 && minute !== 0 && day !== 0)
        let at = NOON
        const given = limits(workspace, minute, day)
        let windows = NO_WINDOWS
        for (const gap of gaps) {
          at += gap
          const verdict = takeWindows(windows, given, at)
          if (verdict.kind === 'taken') windows = verdict.windows
          else expect(takeWindows(windows, given, at + verdict.retryAfterMs).kind).toBe('taken')
        }
      }),
    )
  })
})

test('days and months are those of UTC', () => {
  expect(utcDay(Date.parse('2028-02-29T23:59:59.999Z'))).toBe('2028-02-29')
  expect(utcMonth(Date.parse('2028-02-29T23:59:59.999Z'))).toBe('2028-02')
  expect(utcMonth(Date.parse('2028-03-01T00:00:00Z'))).toBe('2028-03')
  expect(utcMonth(Date.parse('2026-12-31T23:59:59.999Z'))).toBe('2026-12')
})
