import { appendFileSync } from 'node:fs'

/**
 * What a test process tells the test command (`scripts/testing`) while it runs, a line of JSON each: which file
 * begins and ends, and why tests of a file are skipped.
 */
export type RunEvent =
  | { readonly kind: 'begins' | 'ends'; readonly file: string }
  | { readonly kind: 'skips'; readonly file: string; readonly reason: string }

/** Names the file that the events are written to; without it nobody listens. */
export const EVENTS_VARIABLE = 'TOLLGATE_TEST_EVENTS'

export function report(event: RunEvent): void {
  const path = process.env[EVENTS_VARIABLE]
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(event)}\n`)
}

/**
 * For `test.skipIf` and `describe.skipIf`: true where there is a reason. The summary of the run gives it; a run
 * without the test command prints it.
 */
export function skipFor(reason: string | undefined): boolean {
  if (reason === undefined) return false
  if (process.env[EVENTS_VARIABLE] === undefined) console.warn(`SKIPPED: ${reason}`)
  else report({ kind: 'skips', file: Bun.main, reason })
  return true
}
