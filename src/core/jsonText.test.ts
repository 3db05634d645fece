import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Json, JsonObject } from './json.ts'
import { slownessOfMachine } from '../../test/support/slowness.ts'
import { type JsonEdit, editJson, itemTexts } from './jsonText.ts'

const TEXT = ' { "id" : "a\\"b" ,\t"big":12345678901234567890, "x":[1.0,{"y":"\\u00e9"}],\n"last":-0 } '

test('a value is replaced where it is, and every other character stays', () => {
  expect(editJson(TEXT, [{ path: ['id'], json: '"new"' }])).toBe(TEXT.replace('"a\\"b"', '"new"'))
  expect(editJson(TEXT, [{ path: ['x', 1, 'y'], json: '7' }])).toBe(TEXT.replace('"\\u00e9"', '7'))
  expect(editJson(TEXT, [{ path: ['last'], json: '{}' }])).toBe(TEXT.replace('-0', '{}'))
})

test('a member goes with one comma, wherever it is', () => {
  const text = '{"a":1, "b":{"c":2} ,"d":3}'
  const without = (...names: string[]) =>
    editJson(
      text,
      names.map((name) => ({ path: [name] })),
    )
  expect(without('a')).toBe('{"b":{"c":2} ,"d":3}')
  expect(without('b')).toBe('{"a":1 ,"d":3}')
  expect(without('d')).toBe('{"a":1, "b":{"c":2}}')
  expect(without('a', 'b')).toBe('{"d":3}')
  expect(without('b', 'd')).toBe('{"a":1}')
  expect(without('a', 'b', 'd')).toBe('{}')
  expect(editJson(text, [{ path: ['b', 'c'] }])).toBe('{"a":1, "b":{} ,"d":3}')
})

test('a name that is there twice, or escaped, changes each time', () => {
  const text = '{"id":1,"\\u0069d":2,"other":3}'
  expect(editJson(text, [{ path: ['id'], json: '0' }])).toBe('{"id":0,"\\u0069d":0,"other":3}')
  expect(editJson(text, [{ path: ['id'] }])).toBe('{"other":3}')
})

test('what is not there changes nothing', () => {
  for (const path of [['none'], ['id', 'deeper'], ['x', 7, 'y'], ['x', 'y']])
    expect(editJson(TEXT, [{ path, json: '1' }])).toBe(TEXT)
  expect(editJson('[]', [{ path: [0, 'a'], json: '1' }])).toBe('[]')
  expect(editJson('"text"', [{ path: ['a'], json: '1' }])).toBe('"text"')
})

/** The same with parsed values. */
function edited(value: Json, { path, json }: JsonEdit): Json {
  const [step, ...rest] = path
  if (typeof value !== 'object' || value === null || step === undefined) return value
  if (Array.isArray(value))
    return value.map((item: Json, i) =>
      i === step && rest.length > 0
        ? edited(item, { path: rest, ...(json !== undefined && { json }) })
        : item,
    )
  const members = Object.entries(value as JsonObject).flatMap(([name, inner]): [string, Json][] => {
    if (name !== step) return [[name, inner ?? null]]
    if (rest.length > 0)
      return [[name, edited(inner ?? null, { path: rest, ...(json !== undefined && { json }) })]]
    return json === undefined ? [] : [[name, JSON.parse(json) as Json]]
  })
  return Object.fromEntries(members)
}

test('any edit of any JSON text is the same as one of its value', () => {
  const name = fc.constantFrom('a', 'b', 'c"', 'd\\', 'é')
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Json>(null, true, 1.5, -3, 'text', 'a "quoted" \\ one', '{"a":[1,2]}', ''),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    ),
  }))
  const step = fc.oneof(name, fc.nat(2))
  const path = fc.tuple(fc.array(step, { maxLength: 3 }), name).map(([first, last]) => [...first, last])
  const edit = fc.record(
    { path, json: fc.constantFrom('null', '"x"', '{"n":[]}') },
    { requiredKeys: ['path'] },
  )
  fc.assert(
    fc.property(value, edit, fc.constantFrom(0, 2), (json, change, indent) => {
      const text = JSON.stringify(json, null, indent)
      expect(JSON.parse(editJson(text, [change]))).toEqual(edited(json, change))
    }),
    { numRuns: 1_000 },
  )
})

test('the items of a list are as they are written, wherever the list is', () => {
  expect(itemTexts(TEXT, ['x'])).toEqual(['1.0', '{"y":"\\u00e9"}'])
  expect(itemTexts(' [ 1 ,"a,]\\"" , [2,[3]] ,{"b":[4]},null ] ', [])).toEqual([
    '1',
    '"a,]\\""',
    '[2,[3]]',
    '{"b":[4]}',
    'null',
  ])
  expect(itemTexts('{"a":{"x":[1]},"a":{"x":[2],"\\u0078":[3]}}', ['a', 'x'])).toEqual(['3'])
  for (const text of ['[]', ' [ ] ', '{}', '"[1]"', '7', '{"x":{"0":1}}'])
    expect(itemTexts(text, [])).toEqual([])
  expect(itemTexts(TEXT, ['id'])).toEqual([])
  expect(itemTexts(TEXT, ['none'])).toEqual([])
})

test('the items of any list parse to those of the list, and nothing of their text is lost', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(0, 2), (list, indent) => {
      const texts = itemTexts(JSON.stringify({ before: list, list }, null, indent), ['list'])
      expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(JSON.parse(JSON.stringify(list)))
    }),
  )
})

test('many edits of many members and items take time that grows with their number only', () => {
  const slowness = slownessOfMachine()
  const count = 20_000
  const wide = Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]))
  const long = { list: Array.from({ length: count }, () => ({ a: 1, b: 2 })) }
  const members = Object.keys(wide).map((name) => ({ path: [name] }))
  const items = long.list.map((_, i) => ({ path: ['list', i, 'a'] }))
  const before = process.cpuUsage()
  expect(editJson(JSON.stringify(wide), members)).toBe('{}')
  expect(JSON.parse(editJson(JSON.stringify(long), items))).toEqual({ list: long.list.map(() => ({ b: 2 })) })
  const { user, system } = process.cpuUsage(before)
  // Work that grows with the square takes some seconds.
  expect((user + system) / 1_000).toBeLessThan(1_500 * slowness)
})
