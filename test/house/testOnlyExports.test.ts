import { expect, test } from 'bun:test'
import { sourceFiles } from './sourceFiles.ts'
import { KNOWN_TEST_ONLY, testOnlyComplaints } from './testOnlyExports.ts'

test('every export of src is used by what runs, but for the known ones', () => {
  const files = sourceFiles('src', 'bench', 'scripts')
  expect(files.length).toBeGreaterThan(800)
  expect(testOnlyComplaints(KNOWN_TEST_ONLY, files).join('\n')).toBe('')
})

/** What the planted files are used by. */
function main(text: string) {
  return { path: 'src/main.ts', text }
}

function complaints(...files: readonly { readonly path: string; readonly text: string }[]): string[] {
  return testOnlyComplaints([], files).map((complaint) => complaint.split('. ')[0] ?? '')
}

test('an export that only a test imports fails, and the failure says what to do', () => {
  const files = [
    main("import { price } from './price.ts'\nprice()"),
    { path: 'src/price.ts', text: 'export function price() {}\n\nexport const rounded = 1\n' },
    { path: 'src/price.test.ts', text: "import { rounded } from './price.ts'" },
    { path: 'test/journey/price.test.ts', text: "import { rounded } from '../../src/price.ts'" },
  ]
  expect(testOnlyComplaints([], files)).toEqual([
    'src/price.ts:3: only tests use "rounded". Move it to the tests, or test what the gateway uses.',
  ])
  expect(testOnlyComplaints(['src/price.ts rounded'], files)).toEqual([])
  expect(testOnlyComplaints(['src/'], files)).toEqual([])
})

test('what only such an export uses fails as well, in its own file and in others', () => {
  expect(
    complaints(
      main("import { price } from './price.ts'\nprice()"),
      {
        path: 'src/price.ts',
        text: "import { half } from './half.ts'\nexport function price() {}\nexport const rate = 2\nexport const rounded = () => half(rate)",
      },
      { path: 'src/half.ts', text: 'export function half() {}' },
    ),
  ).toEqual([
    'src/half.ts:1: only tests use "half"',
    'src/price.ts:3: only tests use "rate"',
    'src/price.ts:4: only tests use "rounded"',
  ])
})

test('what the benchmarks or scripts use is used; what their tests use is not', () => {
  const price = { path: 'src/price.ts', text: 'export const price = 1\nexport type Rounded = 2' }
  expect(
    complaints(
      price,
      { path: 'bench/till.ts', text: "import { price } from '../src/price.ts'\nprice" },
      { path: 'scripts/updatePrices.test.ts', text: "import type { Rounded } from '../src/price.ts'" },
    ),
  ).toEqual(['src/price.ts:2: only tests use "Rounded"'])
})

test('a limit that its own file uses may be exported for the tests', () => {
  const price = {
    path: 'src/price.ts',
    text: 'export const PRICE_MAX = 9\nexport const price = () => PRICE_MAX\n',
  }
  expect(complaints(main("import { price } from './price.ts'\nprice()"), price)).toEqual([])
})

test.each([
  ['as a type', "import type { price } from './price.ts'\nconst a: typeof price = 1"],
  ['under another name', "import { price as cost } from './price.ts'\ncost()"],
  ['with all others', "import * as prices from './price.ts'\nprices"],
  ['by a re-export', "export { price } from './price.ts'\nprice"],
  ['lazily', "const { price: cost } = await import('./price.ts')\ncost()"],
  ['as a thread', "new Worker(new URL('./price.ts', import.meta.url))"],
])('an export is used %s', (_how, text) => {
  expect(complaints(main(text), { path: 'src/price.ts', text: 'export const price = 1' })).toEqual([])
})

test('an import that nothing mentions does not use it, nor does a comment or a text', () => {
  const price = { path: 'src/price.ts', text: 'export const price = 1' }
  const unused = "import { price } from './price.ts'\n// price\nconst text = 'price'\nother.price"
  expect(complaints(main(unused), price)).toEqual(['src/price.ts:1: only tests use "price"'])
})

test('an entry of the list that is used or gone must leave it', () => {
  const files = [
    main("import { price } from './price.ts'\nprice"),
    { path: 'src/price.ts', text: 'export const price = 1' },
  ]
  expect(testOnlyComplaints(['src/price.ts price', 'src/wire/old/'], files)).toEqual([
    "Remove from KNOWN_TEST_ONLY, it is used or gone: 'src/price.ts price'",
    "Remove from KNOWN_TEST_ONLY, it is used or gone: 'src/wire/old/'",
  ])
})
