import { expect, test } from 'bun:test'
import { circleComplaints } from './importCircles.ts'
import { type SourceFile, sourceFiles } from './sourceFiles.ts'

test('no files of src import each other in a circle', () => {
  const files = sourceFiles('src').filter(({ path }) => !path.endsWith('.test.ts'))
  expect(files.length).toBeGreaterThan(400)
  expect(circleComplaints(files).join('\n')).toBe('')
})

/** Three files: the command imports what it runs with, which imports what it reads, which imports the command's type. */
const circle: readonly SourceFile[] = [
  { path: 'src/cli/command.ts', text: "import { run } from './run.ts'" },
  { path: 'src/cli/run.ts', text: "import { read } from '../cli/read.ts'\nimport { now } from './now.ts'" },
  { path: 'src/cli/read.ts', text: "export type { Command, Option as Flag } from './command.ts'" },
  { path: 'src/cli/now.ts', text: '' },
]

test('a circle of three files, one of them with types only, fails with each import of it', () => {
  expect(circleComplaints(circle)).toEqual([
    [
      '3 files import each other in a circle:',
      '  src/cli/command.ts → src/cli/run.ts (run)',
      '  src/cli/read.ts → src/cli/command.ts (Command, Option)',
      '  src/cli/run.ts → src/cli/read.ts (read)',
      '  Move what they share into a file that imports none of them.',
    ].join('\n'),
  ])
})

test('a file that imports itself is a circle; a lazy import counts', () => {
  const self = { path: 'src/a.ts', text: "const { b } = await import('./a.ts')" }
  expect(circleComplaints([self])).toEqual([expect.stringContaining('  src/a.ts → src/a.ts (b)')])
})

test('a thread that imports the types of its messages from the file that starts it is not a circle', () => {
  const thread = [
    { path: 'src/count.ts', text: "new Worker(new URL('./countThread.ts', import.meta.url))" },
    { path: 'src/countThread.ts', text: "import type { Order } from './count.ts'" },
  ]
  expect(circleComplaints(thread)).toEqual([])
})

test('an import in a comment or a text is not one', () => {
  const quoting = [
    { path: 'src/a.ts', text: "import { b } from './b.ts'" },
    { path: 'src/b.ts', text: "// import { a } from './a.ts'\nconst code = \"import { a } from './a.ts'\"" },
  ]
  expect(circleComplaints(quoting)).toEqual([])
})
