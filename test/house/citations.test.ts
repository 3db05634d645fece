import { expect, test } from 'bun:test'
import { KNOWN_CITATIONS, citationComplaints, citationsOfNothing } from './citations.ts'
import { sourceFiles } from './sourceFiles.ts'

test('the comments of no module cite more pages that a reader cannot open than before', () => {
  const files = sourceFiles('src', 'test', 'bench', 'scripts')
  expect(files.length).toBeGreaterThan(1_000)
  expect(citationComplaints(KNOWN_CITATIONS, files).join('\n')).toBe('')
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

test('more citations than before fail, and so do fewer', () => {
  const files = [planted('By the rulings.')]
  expect(citationComplaints({}, files)).toEqual([expect.stringContaining('\n  src/core/price.ts:2: rulings')])
  expect(citationComplaints({ 'src/core': 1 }, files)).toEqual([])
  expect(citationComplaints({ 'src/core': 2, 'src/wire': 1 }, files)).toEqual([
    'The comments of src/core have become better: lower its number in KNOWN_CITATIONS to 1.',
    "The comments of src/wire have become better: remove 'src/wire' from KNOWN_CITATIONS.",
  ])
})
