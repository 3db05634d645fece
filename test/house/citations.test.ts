import { expect, test } from 'bun:test'
import { citationComplaints, citationsOfNothing } from './citations.ts'
import { sourceFiles } from './sourceFiles.ts'

test('comments cite only pages that a reader can open', () => {
  const files = sourceFiles('src', 'test', 'bench', 'scripts')
  expect(files.length).toBeGreaterThan(1_000)
  expect(citationComplaints(files).join('\n')).toBe('')
})

/** The comment of a planted file. */
function planted(comment: string) {
  return { path: 'src/core/price.ts', text: `const a = 1\n/** ${comment} */` }
}

test.each([
  ['What it costs (rulings, "Money").', 'rulings'],
  ['Tool arguments in one piece (design §4).', 'design §'],
  ['What a status says (reference "Wire", B8).', 'reference "'],
  ['The body: contract, "Error object".', 'contract, "'],
  ['A limit of a workspace (contract, "Limits").', '(contract'],
  ['Explained in docs/money.md.', 'docs/money.md'],
  ['Explained in docs/billing.md#the-journal.', 'docs/billing.md#the-journal'],
])('a page that is not in the repository is found: %s', (comment, cited) => {
  expect(citationsOfNothing(planted(comment))[0]).toEqual({
    path: 'src/core/price.ts',
    line: 2,
    fault: cited,
  })
})

test.each([
  'What it costs (docs/billing.md#the-ledger), and why (docs/decisions/0009-holds-that-fit.md).',
  'Explained in CONTRIBUTING.md, and in https://provider.example/docs/money.md.',
  'The design of its API reference; references to a contract.',
])('what a reader can open is not found: %s', (comment) => {
  expect(citationsOfNothing(planted(comment))).toEqual([])
})

test('a citation in a text or in code is not read', () => {
  expect(citationsOfNothing({ path: 'src/a.ts', text: "const rulings = 'docs/money.md'" })).toEqual([])
})

test('a citation of a page that is not there is named with its place and what to write instead', () => {
  expect(citationComplaints([planted('By the rulings.')])).toEqual([
    expect.stringMatching(
      /^src\/core\/price\.ts:2: "rulings" is not in the repository: state the rule, or cite /,
    ),
  ])
})
