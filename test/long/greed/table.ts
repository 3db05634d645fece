import type { Deed } from './attack.ts'
import type { Booked } from './proof.ts'

interface Line {
  calls: number
  answered: number
  charged: bigint
  writtenOff: bigint
}

/** What each shape got out of the house. */
export interface GreedTable {
  add(deed: Deed, booked: readonly Booked[]): void
  text(): string
}

export function createGreedTable(): GreedTable {
  const lines = new Map<string, Line>()

  function lineOf(shape: string): Line {
    const known = lines.get(shape)
    if (known) return known
    const line = { calls: 0, answered: 0, charged: 0n, writtenOff: 0n }
    lines.set(shape, line)
    return line
  }

  return {
    add({ greed, heard }, booked) {
      for (const line of [lineOf(greed.shape), lineOf('all together')]) {
        line.calls += heard.length
        line.answered += heard.filter(({ status }) => status === 200).length
        for (const { charge, writeoff } of booked) {
          line.charged += charge
          line.writtenOff += writeoff
        }
      }
    },
    text() {
      const rows = [...lines]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([shape, { calls, answered, charged, writtenOff }]) => [
          shape,
          String(calls),
          String(answered),
          usd(charged),
          usd(writtenOff),
          charged === 0n ? '-' : `${((100 * Number(writtenOff)) / Number(charged)).toFixed(2)} %`,
        ])
      const table = [['shape', 'calls', 'answered', 'charged $', 'written off $', 'share'], ...rows]
      return table.map((row) => row.map((cell, at) => pad(cell, at)).join('  ')).join('\n')
    },
  }
}

const SHAPE_WIDTH = 52
const FIGURE_WIDTH = 13

function pad(cell: string, column: number): string {
  return column === 0 ? cell.padEnd(SHAPE_WIDTH) : cell.padStart(FIGURE_WIDTH)
}

function usd(nano: bigint): string {
  return (Number(nano) / 1e9).toFixed(6)
}
