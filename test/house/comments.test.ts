import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { KNOWN_PHRASES, phraseComplaints, phrasesInComments } from './comments.ts'
import { sourceFiles } from './sourceFiles.ts'

const ROOT = join(import.meta.dir, '../..')

test('the comments of no module have more phrases that are read twice than before', () => {
  const files = sourceFiles('src', 'test', 'bench', 'scripts')
  expect(files.length).toBeGreaterThan(1_000)
  const changedAt = (path: string): number => statSync(join(ROOT, path)).mtimeMs
  expect(phraseComplaints(KNOWN_PHRASES, files, changedAt).join('\n')).toBe('')
})

test('a phrase is found in comments only, also where it goes on in the next line', () => {
  const text = [
    '/** Nobody knows `nobody`.',
    ' * Kept for',
    ' * ever. */',
    "const a = 'nobody' // and `whoever` asks at once",
    '/nobody/.test(`nobody ${a /* nobody */}`)',
  ].join('\n')
  const found = phrasesInComments({ path: 'src/a.ts', text })
  expect(found.map(({ line, fault }) => `${line} ${fault.split('"')[1]}`)).toEqual([
    '1 Nobody',
    '2 for ever',
    '4 at once',
    '5 nobody',
  ])
})

test.each([
  'Shows which of them tell one key from another, or tells two keys apart, as far as they can be told apart.',
  'An id that stands for a person, a stand-in; a word that stands alone.',
  'There is no key, and it is no longer valid.',
  'Everyone is asked: anyone may answer.',
])('plain English is not found: %s', (comment) => {
  expect(phrasesInComments({ path: 'src/a.ts', text: `// ${comment}` })).toEqual([])
})

const files = [
  { path: 'src/core/old.ts', text: '// Nobody.\n' },
  { path: 'src/core/new.ts', text: '\n// Whoever it is.\n' },
  { path: 'scripts/testing/run.ts', text: '' },
]

test('more phrases than before fail, and those of the newest files come first', () => {
  const changedAt = (path: string): number => (path.endsWith('new.ts') ? 2 : 1)
  expect(phraseComplaints({ 'src/core': 1 }, files, changedAt)).toEqual([
    [
      'The comments of src/core have 2 phrases that are read twice, 1 more than before. Those of the files that changed last come first:',
      '  src/core/new.ts:2: "Whoever": write who it is: the caller, the operator, anyone who',
      '  src/core/old.ts:1: "Nobody": write no one; of a name or a field: unknown',
    ].join('\n'),
  ])
})

test('fewer phrases than before fail, so that the number goes down with them', () => {
  expect(phraseComplaints({ 'src/core': 2 }, files)).toEqual([])
  expect(phraseComplaints({ 'src/core': 3, scripts: 1 }, files)).toEqual([
    "The comments of scripts have become better: remove 'scripts' from KNOWN_PHRASES.",
    'The comments of src/core have become better: lower its number in KNOWN_PHRASES to 2.',
  ])
})
