import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Target } from '../../core/model.ts'
import { nano } from '../../core/money.ts'
import type { Standing } from './cooldown.ts'
import { type Candidate, type OrderBy, orderByOf, orderTargets } from './order.ts'
import { hashText } from './sticky.ts'

interface Sketch extends Partial<Omit<Target, 'cost'>> {
  readonly cost?: number
  readonly standing?: Standing
  readonly measure?: number
  readonly busy?: boolean
}

function candidates(...sketches: readonly Sketch[]): Candidate[] {
  return sketches.map(({ cost, standing = 'ready', measure, busy = false, ...target }, index) => {
    const provider = target.provider ?? `p${index}`
    return {
      target: {
        provider,
        upstreamModel: 'm',
        facts: {},
        weight: 1,
        priority: 0,
        ...target,
        ...(cost !== undefined && { cost: { input: nano(BigInt(cost)), output: nano(0n) } }),
      },
      hash: hashText(`${provider}/m`),
      standing,
      measure,
      busy,
    }
  })
}

const noChance = (): number => {
  throw new Error('nothing is left to chance here')
}

function order(by: OrderBy, list: readonly Candidate[], key?: string): number[] {
  const random = by === 'weighted' && key === undefined ? Math.random : () => 0.5
  return orderTargets(list, { by, key: key === undefined ? undefined : hashText(key), random })
}

describe('strategies', () => {
  test('priority: the lowest first, then as the configuration has them, key or no key', () => {
    const list = candidates({ priority: 2 }, { priority: 1 }, { priority: 1 }, { priority: 0 })
    expect(order('priority', list)).toEqual([3, 1, 2, 0])
    expect(order('priority', list, 'someone')).toEqual([3, 1, 2, 0])
  })

  test('cheapest: by what the provider asks, unknown costs last', () => {
    expect(order('cheapest', candidates({ cost: 30 }, {}, { cost: 10 }, { cost: 20 }))).toEqual([2, 3, 0, 1])
  })

  test('fastest: by measured latency; what was not measured is tried first, one call at a time', () => {
    const measured = candidates({ measure: 300 }, { measure: 100 }, { measure: 200 })
    expect(order('fastest', measured)).toEqual([1, 2, 0])
    expect(order('fastest', candidates({ measure: 300 }, { measure: 100 }, {}))).toEqual([2, 1, 0])
    expect(order('fastest', candidates({ measure: 300 }, { measure: 100 }, { busy: true }))).toEqual([
      1, 0, 2,
    ])
  })

  test('fastest: equally fast targets are chosen by key', () => {
    const list = candidates({ measure: 100 }, { measure: 110 }, { measure: 500 })
    const firsts = new Set(Array.from({ length: 50 }, (_, i) => order('fastest', list, `user-${i}`)[0]))
    expect(firsts).toEqual(new Set([0, 1]))
    expect(order('fastest', list)[0]).toBe(0)
  })

  test('weighted: without a key each call is drawn by weight', () => {
    const list = candidates({ weight: 9 }, { weight: 1 })
    const draws = 5_000
    let first = 0
    for (let i = 0; i < draws; i++) if (order('weighted', list)[0] === 0) first += 1
    expect(first / draws).toBeWithin(0.87, 0.93)
  })

  test('weighted: one key always chooses alike', () => {
    const list = candidates({ weight: 2 }, { weight: 1 }, { weight: 1 })
    for (const key of ['ada', 'bob', 'eve']) {
      const first = orderTargets(list, { by: 'weighted', key: hashText(key), random: noChance })
      for (let i = 0; i < 5; i++) expect(order('weighted', list, key)).toEqual(first)
    }
  })

  test('what the caller sorts by stands in for the strategy', () => {
    expect(orderByOf('weighted', undefined)).toBe('weighted')
    expect(orderByOf('weighted', 'price')).toBe('cheapest')
    expect(orderByOf('priority', 'latency')).toBe('fastest')
    expect(orderByOf('priority', 'throughput')).toBe('fastest')
  })
})

test('named providers come first, in the order they are named', () => {
  const list = candidates({ provider: 'a' }, { provider: 'b' }, { provider: 'c' }, { provider: 'b' })
  const options = { by: 'priority', key: undefined, random: noChance } as const
  expect(orderTargets(list, { ...options, random: () => 0.5, preferred: ['c', 'b'] })).toEqual([2, 1, 3, 0])
})

test('without fallbacks there is the first choice alone, however it fares', () => {
  const list = candidates({ standing: 'parked' }, {})
  expect(orderTargets(list, { by: 'priority', key: undefined, random: () => 0.5, onlyFirst: true })).toEqual([
    0,
  ])
})

describe('laws', () => {
  const anyBy = fc.constantFrom<OrderBy>('priority', 'weighted', 'cheapest', 'fastest')
  const anySketch = fc.record(
    {
      priority: fc.integer({ min: 0, max: 3 }),
      weight: fc.integer({ min: 1, max: 10 }),
      cost: fc.integer({ min: 0, max: 5 }),
      measure: fc.integer({ min: 1, max: 1000 }),
      busy: fc.boolean(),
      standing: fc.constantFrom<Standing>('ready', 'last_choice', 'parked'),
    },
    { requiredKeys: ['standing'] },
  )
  const anyList = fc.array(anySketch, { maxLength: 8 }).map((list) => candidates(...list))

  test('every target is in the order once', () => {
    fc.assert(
      fc.property(anyBy, anyList, fc.option(fc.string(), { nil: undefined }), (by, list, key) => {
        expect(order(by, list, key).toSorted((a, b) => a - b)).toEqual(list.map((_, index) => index))
      }),
    )
  })

  test('none that is ready comes after one that is not', () => {
    fc.assert(
      fc.property(anyBy, anyList, fc.string(), (by, list, key) => {
        const ranks = order(by, list, key).map((index) =>
          ['ready', 'last_choice', 'parked'].indexOf(list[index]?.standing ?? ''),
        )
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
      }),
    )
  })

  test('a target that falls ill moves only those whose choice it was', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 6 }),
        fc.nat(),
        fc.string(),
        (weights, which, key) => {
          const sick = which % weights.length
          const before = order('weighted', candidates(...weights.map((weight) => ({ weight }))), key)[0]
          const after = order(
            'weighted',
            candidates(
              ...weights.map((weight, i) => ({
                weight,
                standing: i === sick ? ('parked' as const) : ('ready' as const),
              })),
            ),
            key,
          )[0]
          if (before === sick) expect(after).not.toBe(sick)
          else expect(after).toBe(before)
        },
      ),
    )
  })
})
