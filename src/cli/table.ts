import { printable } from '../core/printable.ts'

/** One column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string | number | null
  /** Numbers and amounts stand at the right. */
  readonly right?: true
}

/** Writes rows as aligned columns with a head; `empty` when there are none. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): string {
  if (rows.length === 0) return `${empty}\n`
  const cells = rows.map((row) => columns.map((column) => shown(column.cell(row))))
  const widths = columns.map(({ title }, i) =>
    Math.max(Bun.stringWidth(title), ...cells.map((row) => Bun.stringWidth(row[i] ?? ''))),
  )
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => pad(text, widths[i] ?? 0, columns[i]?.right === true))
      .join('  ')
      .trimEnd()
  return `${[columns.map(({ title }) => title), ...cells].map(line).join('\n')}\n`
}

/** Writes one thing as names and values below each other. */
export function details(rows: readonly (readonly [name: string, value: string | number | null])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return `${rows.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n')}\n`
}

/** `1 model`, `2 models`. */
export function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function shown(value: string | number | null): string {
  return value === null ? '–' : printable(String(value))
}

function pad(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - Bun.stringWidth(text)))
  return right ? space + text : text + space
}

/** Unix seconds as `2026-11-20 11:22:17Z`. */
export function moment(seconds: number | null): string | null {
  if (seconds === null) return null
  return new Date(seconds * 1000).toISOString().replace('T', ' ').replace('.000Z', 'Z')
}
