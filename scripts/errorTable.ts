import { readFileSync } from 'node:fs'
import { ERRORS, type ErrorCode } from '../src/core/error.ts'

const CODES = Object.keys(ERRORS) as ErrorCode[]
/** The first and the last lines of the table in `docs/errors/README.md`. */
const HEAD = '| Code | Status | Type | Worth a retry | Counted | Meaning |\n|---|---|---|---|---|---|\n'

/** The page with its table renewed: from the table of errors, and from the page of each error. */
export function withErrorTable(page: string): string {
  const begin = page.indexOf(HEAD)
  if (begin < 0) throw new Error('docs/errors/README.md has lost the head of its table')
  const rows = page.slice(begin + HEAD.length)
  const rest = rows.slice(/^(?:\|.*\n)*/.exec(rows)?.[0].length ?? 0)
  return page.slice(0, begin) + HEAD + CODES.map(rowOf).join('') + rest
}

function rowOf(code: ErrorCode): string {
  const text = readFileSync(new URL(`../docs/errors/${code}.md`, import.meta.url), 'utf8')
  const meaning = text.split('\n')[2] ?? ''
  const cells = /^\| \d+ \|.*\|$/m.exec(text)?.[0]
  if (cells === undefined) throw new Error(`docs/errors/${code}.md has no table with its status`)
  return `| [${code}](${code}.md) ${cells.slice(0, -1)}| ${meaning} |\n`
}
