import { expect, test } from 'bun:test'
import { type Segment, only, segmentsOf } from './sourceText.ts'

/** Each segment with its kind, without the code that only separates them. */
function read(source: string): [kind: Segment['kind'], text: string][] {
  return segmentsOf(source)
    .map(({ kind, start, end }): [Segment['kind'], string] => [kind, source.slice(start, end)])
    .filter(([, text]) => /\S/.test(text))
}

const samples: readonly [what: string, source: string, segments: [Segment['kind'], string][]][] = [
  [
    'a comment to the end of the line',
    'a // b\nc',
    [
      ['code', 'a '],
      ['comment', '// b'],
      ['code', '\nc'],
    ],
  ],
  ['a comment of two lines', '/** a\n b */', [['comment', '/** a\n b */']]],
  [
    'no comment in a text',
    '\'// a\' + "/* b"',
    [
      ['text', "'// a'"],
      ['code', ' + '],
      ['text', '"/* b"'],
    ],
  ],
  ['a quote behind a backslash', String.raw`'\'// a'`, [['text', String.raw`'\'// a'`]]],
  [
    'a comment in the code of a template, not in its text',
    '`// a ${{ b } /* c */} // d`',
    [
      ['text', '`// a ${'],
      ['code', '{ b } '],
      ['comment', '/* c */'],
      ['text', '} // d`'],
    ],
  ],
  [
    'a template in a template',
    '`a ${`b ${c}`} d`',
    [
      ['text', '`a ${'],
      ['text', '`b ${'],
      ['code', 'c'],
      ['text', '}`'],
      ['text', '} d`'],
    ],
  ],
  ['a dollar of a template', '`$a \\${b`', [['text', '`$a \\${b`']]],
  [
    'no comment in a regular expression',
    String.raw`a(/[/"]\/\/'/g)`,
    [
      ['code', 'a('],
      ['pattern', String.raw`/[/"]\/\/'/g`],
      ['code', ')'],
    ],
  ],
  [
    'a regular expression behind a word of the language',
    'return /"/',
    [
      ['code', 'return '],
      ['pattern', '/"/'],
    ],
  ],
  [
    'divisions',
    'a / b / c // d',
    [
      ['code', 'a / b / c '],
      ['comment', '// d'],
    ],
  ],
  [
    'divisions behind brackets',
    "(a) / 2 + b[0] / '/'",
    [
      ['code', '(a) / 2 + b[0] / '],
      ['text', "'/'"],
    ],
  ],
]

test.each(samples)('%s', (_what, source, segments) => {
  expect(read(source)).toEqual(segments)
})

test('what is left out leaves its place empty: lines and columns stay', () => {
  const source = "a /* b\n c */ 'd' // é\ne"
  expect(only(source, ['code'])).toBe(`a     \n${' '.repeat(14)}\ne`)
  expect(only(source, ['comment'])).toBe('  /* b\n c */     // é\n ')
  expect(only(source, ['code', 'text'])).toBe("a     \n      'd'     \ne")
})

test('every source of the repository is split without a gap', async () => {
  const { sourceFiles } = await import('./sourceFiles.ts')
  const files = sourceFiles('src', 'test', 'bench', 'scripts')
  expect(files.length).toBeGreaterThan(1_000)
  for (const { path, text } of files) {
    const segments = segmentsOf(text)
    const whole = segments.map(({ start, end }) => text.slice(start, end)).join('')
    expect([path, whole === text]).toEqual([path, true])
    // A text that begins by mistake goes on to the end of its line or file, and leaves a quote or brace open.
    const last = segments.at(-1)
    expect([path, last?.kind === 'code' || last?.kind === 'comment']).toEqual([path, true])
  }
})
