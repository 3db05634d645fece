import type { Io } from './deps.ts'

const WIDTH = 30
const REDRAW_MS = 100

/** A bar on standard error that redraws itself; silent when nobody watches. */
export interface Progress {
  /** `total` may be 0: then nothing is known of the way ahead. */
  show(done: number, total: number, note: string): void
  /** Wipes the bar away. */
  end(): void
}

export function createProgress(io: Io, clock: () => number): Progress {
  if (!io.errIsTty) return { show: () => undefined, end: () => undefined }
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    show(done, total, note) {
      const now = clock()
      if (now - drawnAt < REDRAW_MS && done < total) return
      drawnAt = now
      io.err(`\r\u001b[K${bar(done, total)}  ${note}`)
    },
    end: () => io.err('\r\u001b[K'),
  }
}

function bar(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(done / total, 1)
  const full = Math.round(share * WIDTH)
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${String(Math.floor(share * 100)).padStart(3)} %`
}
