import type { UpstreamFailure } from '../core/failure.ts'

/** What a caller hears of a failure in the middle of an answer: never the provider's words. */
export interface BrokenOff {
  /** Trying again later may help. */
  readonly busy: boolean
  readonly message: string
}

export function brokenOff({ kind }: UpstreamFailure): BrokenOff {
  const busy = kind === 'overloaded' || kind === 'rate_limited'
  return { busy, message: busy ? 'The model is overloaded.' : 'The answer was interrupted.' }
}
