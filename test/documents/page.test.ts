import { expect, test } from 'bun:test'
import { type Page, codesIn, differences, tableOf } from './page.ts'

const PAGE: Page = {
  path: 'docs/example.md',
  text: '# Example\n\n## One\n\nWords.\n\n| name | kind |\n|---|---|\n| `a` | x \\| y |\n| `b` | z |\n\n## Two\n\nNo table.\n',
}

test('a table is read with the lines of its rows', () => {
  expect(tableOf(PAGE, 'One')).toEqual([
    { cells: ['`a`', 'x | y'], line: 9 },
    { cells: ['`b`', 'z'], line: 10 },
  ])
  expect(() => tableOf(PAGE, 'Two')).toThrow('docs/example.md has no table below the heading "Two"')
  expect(codesIn('`a`, `b c` and d')).toEqual(['a', 'b c'])
})

test('what differs is named by page, line and row, with the line to write', () => {
  const facts = [
    { key: ['`a`'], cells: ['x'] },
    { key: ['`c|d`'], cells: [undefined] },
  ]
  expect(differences(PAGE, 'One', facts)).toEqual([
    'docs/example.md:9 (One): `a` is wrong; write: | `a` | x |',
    'docs/example.md:10 (One): the code knows no `b`; delete the row, or mend its name',
    'docs/example.md (One): there is no row for `c|d`; write: | `c\\|d` | … |',
  ])
  expect(
    differences(PAGE, 'One', [
      { key: ['`a`', 'x | y'], cells: [] },
      { key: ['`b`', 'z'], cells: [] },
    ]),
  ).toEqual([])
})
