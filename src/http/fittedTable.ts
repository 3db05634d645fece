import { escapeHtml } from './escape.ts'

/**
 * The widths, in rem, below which a table shows its rows as cards. Each table has the first one that is large enough;
 * what needs more than the last is always cards.
 */
export const TABLE_WIDTHS = [20, 26, 32, 38, 44, 50, 56, 62, 68, 76, 84] as const

/** A table of Field, Type and Meaning: there are so many rows of them that the stylesheet has their titles. */
export const FIELD_TABLE = '<table class="fields">'

/** Widths in rem, of a wide font: a table that is measured too narrow would be cut off. */
const TEXT_CHARACTER = 0.57
const CODE_CHARACTER = 0.49
const HEAD_CHARACTER = 0.55
const CELL_PADDING = 1.3
const CODE_PADDING = 0.6
/** From so many characters on a column holds sentences, which are read badly in a column that is narrow. */
const SENTENCE_LENGTH = 40
const SENTENCE_WIDTH = 13

/**
 * The table in a box in which it is never cut off: where the box is too narrow for it, each row is a card that shows every
 * cell with the title of its column.
 * @param table HTML of a table with a head; its first cells are the titles of the rows
 */
export function fittedTable(label: string, table: string): string {
  const [head = ''] = /<thead>[\s\S]*?<\/thead>/.exec(table) ?? []
  const titles = cellsOf(head).map((cell) => textOf(cell).trim())
  const widths = titles.map((title) => longestWord(title, HEAD_CHARACTER) + CELL_PADDING)
  const isOfFields = table.startsWith(FIELD_TABLE)
  const body = table.slice(table.indexOf(head) + head.length)
  const labelled = body.replaceAll(/<tr>[\s\S]*?<\/tr>/g, (row) => {
    let column = -1
    return row.replaceAll(
      /<(t[dh])([^>]*)>([\s\S]*?)<\/\1>/g,
      (_, tag: string, attributes: string, cell: string) => {
        column += 1
        widths[column] = Math.max(widths[column] ?? 0, neededBy(cell))
        const title = isOfFields ? '' : (titles[column] ?? '')
        return `<${tag}${attributes}${title === '' ? '' : ` data-label="${escapeHtml(title)}"`}>${cell}</${tag}>`
      },
    )
  })
  const needed = widths.reduce((sum, width) => sum + width, 0)
  const width = TABLE_WIDTHS.find((each) => each >= needed)
  const opening = table.slice(0, table.indexOf(head))
  return `<div class="fitted ${width === undefined ? 'cards' : `from-${width}`}" role="group" aria-label="${escapeHtml(label)}">${opening}${head}${labelled}</div>`
}

function neededBy(cell: string): number {
  const codes = [...cell.matchAll(/<code>([\s\S]*?)<\/code>/g)].map(
    ([, code = '']) => longestWord(textOf(code), CODE_CHARACTER) + CODE_PADDING,
  )
  const text = textOf(cell)
  const prose = longestWord(textOf(cell.replaceAll(/<code>[\s\S]*?<\/code>/g, ' ')), TEXT_CHARACTER)
  const readable = text.length > SENTENCE_LENGTH ? SENTENCE_WIDTH : 0
  return Math.max(prose, readable, ...codes) + CELL_PADDING
}

/** Text may break at spaces; where a `<wbr>` was, there is one. */
function longestWord(text: string, character: number): number {
  return Math.max(0, ...text.split(/\s+/).map((word) => word.length)) * character
}

function cellsOf(row: string): string[] {
  return [...row.matchAll(/<t[dh][^>]*>([\s\S]*?)<\/t[dh]>/g)].map(([, cell = '']) => cell)
}

function textOf(html: string): string {
  return html
    .replaceAll(/<(?:wbr|br)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#?\w+;/g, '-')
}
