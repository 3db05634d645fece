import type { Json } from '../../core/json.ts'

/** The lines of a table, behind its header, up to the next header. */
interface Section {
  readonly start: number
  readonly end: number
}

const HEADER = /^\s*\[(.*)\]\s*(?:#.*)?\r?$/
/** A key whose value ends on its line: what is before the value, the key, and what is behind the value. */
const ENTRY =
  /^(\s*(\w[\w-]*|"[^"]*"|'[^']*')\s*=\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#[{][^"'#]*?)(\s*(?:#.*)?\r?)$/
const BARE_KEY = /^[\w-]+$/

/** The lines with this value; a comment behind the value before it stays. */
export function setLine(lines: readonly string[], keys: readonly string[], value: Json): string[] {
  const [table, key] = [keys.slice(0, -1), keys.at(-1) ?? '']
  const section = sectionOf(lines, table)
  const said = `${nameOf(key)} = ${textOf(value)}`
  if (!section) return [...withoutLastBreak(lines), `[${table.map(nameOf).join('.')}]`, said, '']
  const at = lineOf(lines, section, key)
  if (at !== undefined) return lines.with(at, replaced(lines[at] ?? '', value))
  const last = lines.slice(section.start, section.end).findLastIndex(isSaid)
  const next = section.start + last + 1
  // Before a table or a comment, the first value of a file has a line of its own.
  const gap = next === 0 && (lines[0] ?? '').trim() !== '' ? [''] : []
  return lines.toSpliced(next, 0, said, ...gap)
}

/** The lines without this value, and without the gap that `setLine` put behind it. */
export function removeLine(lines: readonly string[], keys: readonly string[]): readonly string[] {
  const section = sectionOf(lines, keys.slice(0, -1))
  const at = section && lineOf(lines, section, keys.at(-1) ?? '')
  if (at === undefined) return lines
  const hasGap = at === 0 && lines.length > 2 && lines[1] === ''
  return lines.toSpliced(at, hasGap ? 2 : 1)
}

/** The lines without the header of this table, and without the gap that `setLine` put before it. */
export function removeTable(lines: readonly string[], keys: readonly string[]): readonly string[] {
  const section = sectionOf(lines, keys)
  if (!section || section.start === 0) return lines
  const header = section.start - 1
  const hasGap = header > 0 && lines[header - 1] === ''
  return lines.toSpliced(hasGap ? header - 1 : header, hasGap ? 2 : 1)
}

/** Undefined: there is no such table. The values before the first header are the table without a name. */
function sectionOf(lines: readonly string[], keys: readonly string[]): Section | undefined {
  const start = keys.length === 0 ? 0 : lines.findIndex((line) => headerOf(line) === keys.join('.')) + 1
  if (start === 0 && keys.length > 0) return undefined
  const next = lines.findIndex((line, at) => at >= start && HEADER.test(line))
  return { start, end: next < 0 ? lines.length : next }
}

function headerOf(line: string): string | undefined {
  return HEADER.exec(line)?.[1]?.replaceAll(/[\s"']/g, '')
}

function lineOf(lines: readonly string[], { start, end }: Section, key: string): number | undefined {
  const at = lines.findIndex((line, i) => i >= start && i < end && unquoted(ENTRY.exec(line)?.[2]) === key)
  return at < 0 ? undefined : at
}

function unquoted(key: string | undefined): string | undefined {
  return key?.replace(/^(["'])(.*)\1$/, '$2')
}

function replaced(line: string, value: Json): string {
  const [, before = '', , behind = ''] = ENTRY.exec(line) ?? []
  return `${before}${textOf(value)}${behind}`
}

function isSaid(line: string): boolean {
  return line.trim() !== '' && !line.trimStart().startsWith('#')
}

/** The lines before a new table: with a gap, unless it is the first of the file. */
function withoutLastBreak(lines: readonly string[]): readonly string[] {
  if (lines.every((line) => line === '')) return []
  return lines.at(-1) === '' ? lines : [...lines, '']
}

function nameOf(key: string): string {
  return BARE_KEY.test(key) ? key : JSON.stringify(key)
}

/** Texts, numbers and truth values are written as in JSON, except for one control character. */
function textOf(value: Json): string {
  return JSON.stringify(value).replaceAll('\u007f', String.raw`\u007f`)
}
