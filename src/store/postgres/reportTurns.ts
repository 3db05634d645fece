import { SQL } from 'bun'
import { ReportTooLarge } from '../../core/ports/books.ts'
import { createPartSize } from '../queries/partSize.ts'
import type { Turns } from '../queries/turns.ts'

/** How many records a part looks at, at most. The first one has an eighth: most lists need no more. */
const ROWS_MAX = 128_000
/** What a part should take, in milliseconds: much less than the server lets a statement run. */
const PART_MS = 500
/** How long a report may take, in milliseconds: whoever asks for it over HTTP waits no longer. */
export const REPORT_MS = 30_000
/** The server ended a statement, because it took too long. */
const QUERY_CANCELED = '57014'

/** Parts that are small enough for the time limit of a statement, however many records there are. */
export function createReportTurns(reportMs = REPORT_MS): Turns {
  return {
    pace() {
      const until = performance.now() + reportMs
      const size = createPartSize(ROWS_MAX, PART_MS)
      return {
        async part(read) {
          for (;;) {
            const startedAt = performance.now()
            if (startedAt > until) throw new ReportTooLarge('the report takes too long')
            const rows = size.rows()
            try {
              const result = await read(rows)
              size.took(performance.now() - startedAt)
              return result
            } catch (error) {
              size.took(Infinity)
              // Where the smallest part takes as long, it is not the report that is too large.
              if (!wasCanceled(error) || size.rows() === rows) throw error
            }
          }
        },
      }
    },
  }
}

function wasCanceled(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof SQL.PostgresError && cause.errno === QUERY_CANCELED
}
