/** What a part of a report or of a clean-up should take, in milliseconds: short beside a call, long beside starting a statement. */
const PART_MS = 3
/** A part has at least this share of the rows that it may have at most, however slow the disk is. */
const ROWS_SHARE_MIN = 1 / 64
/** The first part has this share: how slow the disk is, is not known yet. */
const ROWS_SHARE_FIRST = 1 / 8
/** A part has at most so many times the rows of the one before. */
const GROWTH_MAX = 2

/** How many rows the next part looks at: fewer when the last one took too long, because the disk is slow or busy. */
export interface PartSize {
  rows(): number
  /** Adapts to how long the last part took. */
  took(ms: number): void
}

export function createPartSize(rowsMax: number, partMs = PART_MS): PartSize {
  const rowsMin = Math.max(1, Math.floor(rowsMax * ROWS_SHARE_MIN))
  let rows = Math.max(1, Math.floor(rowsMax * ROWS_SHARE_FIRST))
  return {
    rows: () => rows,
    took(ms) {
      const growth = Math.min(GROWTH_MAX, partMs / ms)
      rows = Math.max(rowsMin, Math.min(rowsMax, Math.floor(rows * growth)))
    },
  }
}
