import { describe, expect, test } from 'bun:test'
import type { Json } from '../core/json.ts'
import { CHOICES_MAX, askedChoices, askedInOrder } from './askedChoices.ts'

function indexes(choices: readonly Json[], asked?: number): number[] {
  return askedChoices(choices, asked).map(({ index }) => index)
}

describe('of the choices that come', () => {
  test.each<[string, readonly Json[]]>([
    ['the first is told of twenty thousand', Array.from({ length: 20_000 }, (_, index) => ({ index }))],
    ['the first is told where all have its index', [{ index: 0 }, { index: 0, x: 1 }, { index: 0 }]],
    ['the first is told where none has an index', [{}, {}, {}]],
    [
      'none is told that has an index nobody asked for',
      [{ index: -1 }, { index: 1 }, { index: 0.5 }, { index: '0' }, { index: 1e300 }, { index: 0 }],
    ],
    ['none is told that is no object', [null, 5, 'x', [], { index: 0 }]],
  ])('%s', (_, choices) => {
    expect(indexes(choices, 1)).toEqual([0])
  })

  test('as many are told as were asked for, wherever they stand', () => {
    expect(indexes([{ index: 2 }, { index: 7 }, { index: 0 }, { index: 2 }, { index: 1 }], 3)).toEqual([
      2, 0, 1,
    ])
  })

  test('no more are told than any request can ask for, where nobody says how many', () => {
    expect(indexes(Array.from({ length: 1_000 }, (_, index) => ({ index })))).toHaveLength(CHOICES_MAX)
  })
})

describe('a whole answer', () => {
  test('has its choices in order', () => {
    const found = askedInOrder([{ index: 1, x: 'b' }, { index: 0, x: 'a' }, { index: 2 }], 2)
    expect(found?.map(({ choice }) => choice['x'])).toEqual(['a', 'b'])
  })

  test('may have fewer than were asked for', () => {
    expect(askedInOrder([{ index: 0 }, { index: 0 }], 2)).toHaveLength(1)
  })

  test.each<[readonly Json[], number | undefined]>([
    [[], 1],
    [[{ index: 1 }], 1],
    [[], undefined],
    [[{ index: 0 }, { index: 2 }], undefined],
  ])('%j is none of %p', (choices, asked) => {
    expect(askedInOrder(choices, asked)).toBeUndefined()
  })
})
