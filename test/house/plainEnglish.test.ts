import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { readFileSync } from 'node:fs'
import { type Finding, findingsInMarkdown, findingsInSource } from './plainEnglish.ts'

const ROOT = new URL('../../', import.meta.url).pathname

/** Made-up prose, and samples of text to count: not read as texts of the product. */
const NOT_TEXTS = new Set(['src/demo/phrases.ts'])

function report(path: string, findings: readonly Finding[]): string[] {
  return findings.map(({ line, text, instead }) => `${path}:${line}: "${text}": write ${instead}`)
}

test('the documents have none of the phrases that are read twice', () => {
  const pages = ['*.md', 'docs/*.md', 'docs/errors/*.md', 'test/README.md'].flatMap((pattern) => [
    ...new Glob(pattern).scanSync(ROOT),
  ])
  expect(pages.length).toBeGreaterThan(35)
  expect(
    pages.toSorted().flatMap((page) => report(page, findingsInMarkdown(readFileSync(ROOT + page, 'utf8')))),
  ).toEqual([])
})

test('nor have help, errors, receipts, log and pages', () => {
  const files = [...new Glob('src/**/*.ts').scanSync(ROOT)].filter(
    (file) => !file.endsWith('.test.ts') && !NOT_TEXTS.has(file),
  )
  expect(
    files.toSorted().flatMap((file) => report(file, findingsInSource(readFileSync(ROOT + file, 'utf8')))),
  ).toEqual([])
})

test('a phrase is found in prose and in a sentence of the source, not in code or comments', () => {
  const found = (findings: Finding[]) => findings.map(({ line }) => line)
  expect(found(findingsInMarkdown('A key.\n\nNobody knows `nobody`.\n```\nnobody\n```\n'))).toEqual([3])
  const source = [
    '// nobody reads this one',
    "const a = 'nobody'",
    "const b = 'a name that nobody has'",
  ].join('\n')
  expect(found(findingsInSource(source))).toEqual([3])
})
