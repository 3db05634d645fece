import type { Ending } from '../../src/core/ports/books.ts'

const EVERY: Readonly<Record<Ending, true>> = {
  completed: true,
  length: true,
  content_filter: true,
  client_left_before_answer: true,
  client_left: true,
  hold_exhausted: true,
  provider_failed_before_answer: true,
  provider_failed: true,
  request_at_fault: true,
  timeout: true,
  gateway_failed: true,
  refused: true,
}

/** Every way in which a call can end. */
export const ENDINGS = Object.keys(EVERY) as readonly Ending[]
