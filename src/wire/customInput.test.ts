import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { anyText } from '../../test/support/chatArbitraries.ts'
import { CustomInput, customInputOf } from './customInput.ts'

/** The pieces of a text that is cut at these places. */
function piecesOf(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b)
  return [...places, text.length].map((end, i) => text.slice(places[i - 1] ?? 0, end))
}

function readIn(pieces: readonly string[]): string[] {
  const input = new CustomInput()
  return [...pieces.map((piece) => input.push(piece)), input.end()]
}

const CUTS = fc.array(fc.nat(), { maxLength: 12 })
const HALF = /[\ud800-\udbff]$/

test('the input is what was written into the arguments, however they are cut', () => {
  fc.assert(
    fc.property(anyText, CUTS, fc.constantFrom(undefined, 2, '\t'), (input, cuts, space) => {
      const pieces = readIn(piecesOf(JSON.stringify({ input }, undefined, space), cuts))
      expect(pieces.join('')).toBe(input)
      expect(pieces.slice(0, -1).some((piece) => HALF.test(piece))).toBe(false)
    }),
  )
})

test('any arguments give the same input, however they are cut', () => {
  const parts = fc.constantFrom(
    '{',
    '}',
    '"input"',
    ':',
    '"',
    ' ',
    '\n',
    '\\u00',
    '\\ud83d',
    '\\n',
    '\\',
    'x',
    '😀',
  )
  const odd = fc.array(parts, { maxLength: 14 }).map((all) => all.join(''))
  const begun = fc.tuple(fc.constantFrom('', '{"input":"', '{ "input" : "'), odd).map((all) => all.join(''))
  fc.assert(
    fc.property(begun, CUTS, (text, cuts) => {
      expect(readIn(piecesOf(text, cuts)).join('')).toBe(customInputOf(text))
    }),
    { numRuns: 2_000 },
  )
})

test('text is passed on as it comes', () => {
  expect(readIn(['{"inp', 'ut":"*** Be', 'gin\\', 'n+', '\\u00', 'df', '"', '}'])).toEqual([
    '',
    '*** Be',
    'gin',
    '\n+',
    '',
    'ß',
    '',
    '',
    '',
  ])
})

describe('of other arguments nothing is lost:', () => {
  test.each([
    ['*** Begin Patch', '*** Begin Patch'],
    ['"ls"', '"ls"'],
    ['{"patch":"x"}', '{"patch":"x"}'],
    ['{"cwd":"/","input":"ls"}', '{"cwd":"/","input":"ls"}'],
    ['{"input":["ls"]}', '{"input":["ls"]}'],
    // What is certain of a text has been passed on before the rest comes.
    ['{"input":"ls","cwd":"/"}', 'ls","cwd":"/"}'],
    ['{"input":"ls"}{"input":"cd"}', 'ls"}{"input":"cd"}'],
    ['{}x', '{}x'],
    // Models forget to escape.
    ['{"input":"\\d+\n\\u12x"}', '\\d+\n\\u12x'],
    // An answer that was cut.
    ['{"inp', '{"inp'],
    ['{"input":"ls', 'ls'],
    ['{"input":"ls\\u00', 'ls\\u00'],
    ['{"input":"ls"', 'ls'],
    ['{"input":"\\ud83d', '\ud83d'],
  ])('%j', (text, input) => {
    expect(customInputOf(text)).toBe(input)
  })
})

test.each(['', ' ', '{}', ' { } ', '{"input":""}'])('no arguments are an empty input: %j', (text) => {
  expect(customInputOf(text)).toBe('')
})
