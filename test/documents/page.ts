import { readFileSync } from 'node:fs'

/** A page of the documents, by its path in the repository. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** A row of a table: its cells as they are written, and its line in the page. */
export interface Row {
  readonly cells: readonly string[]
  readonly line: number
}

/** What the code says of a row. */
export interface Fact {
  /** The cells by which the row is found, mostly one. */
  readonly key: readonly string[]
  /** The cells after them; undefined: the page says it in its own words. */
  readonly cells: readonly (string | undefined)[]
}

export function readPage(path: string): Page {
  return { path, text: readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8') }
}

/** The rows of the first table below a heading. Throws when there is none. */
export function tableOf({ path, text }: Page, heading: string): readonly Row[] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'))
  const after = lines.slice(start + 1)
  const head = after.findIndex((line) => line.startsWith('|'))
  const next = after.findIndex((line) => line.startsWith('#'))
  if (start < 0 || head < 0 || (next >= 0 && next < head)) {
    throw new Error(`${path} has no table below the heading "${heading}"`)
  }
  const length = after.slice(head).findIndex((line) => !line.startsWith('|'))
  const table = after.slice(head, length < 0 ? undefined : head + length)
  // Without the head and the line below it.
  return table.slice(2).map((line, index) => ({ cells: cellsOf(line), line: start + head + index + 4 }))
}

function cellsOf(line: string): string[] {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
  return cells.slice(1, -1)
}

/** What stands between backticks. */
export function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

/** In backticks, with commas between. */
export function asCodes(words: Iterable<string>): string {
  return Array.from(words, (word) => `\`${word}\``).join(', ')
}

/** Where a table and the code differ: a sentence for each row, with the line to write. */
export function differences(page: Page, heading: string, facts: readonly Fact[]): string[] {
  const known = new Map(facts.map((fact) => [nameOf(fact.key), fact]))
  const length = facts[0]?.key.length ?? 1
  const found = new Set<string>()
  const wrong: string[] = []
  for (const row of tableOf(page, heading)) {
    const name = nameOf(row.cells.slice(0, length))
    const fact = known.get(name)
    const at = `${page.path}:${row.line} (${heading})`
    if (!fact) wrong.push(`${at}: the code knows no ${name}; delete the row, or mend its name`)
    else if (found.has(name)) wrong.push(`${at}: ${name} has two rows; delete one`)
    else if (fact.cells.some((cell, index) => cell !== undefined && cell !== row.cells[index + length])) {
      wrong.push(`${at}: ${name} is wrong; write: ${lineOf(fact, row)}`)
    }
    found.add(name)
  }
  for (const [name, fact] of known) {
    if (!found.has(name))
      wrong.push(`${page.path} (${heading}): there is no row for ${name}; write: ${lineOf(fact)}`)
  }
  return wrong
}

function nameOf(key: readonly string[]): string {
  return key.join(', ')
}

function lineOf({ key, cells }: Fact, row?: Row): string {
  const words = cells.map((cell, index) => cell ?? row?.cells[key.length + index] ?? '…')
  const all = [...key, ...words, ...(row?.cells.slice(key.length + cells.length) ?? [])]
  return `| ${all.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
