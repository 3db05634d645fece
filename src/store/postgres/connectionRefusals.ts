import { SQL } from 'bun'

/** Remembers why the server last refused or ended a connection. */
export interface ConnectionRefusals {
  /** Hears of each connection that ends or fails to open, with the reason. */
  closed(reason: Error | null): void
  /** What the server said last, at this moment of `performance.now()` or later. */
  after(since: number): Error | undefined
}

export function createConnectionRefusals(): ConnectionRefusals {
  let last: { readonly reason: Error; readonly at: number } | undefined
  return {
    closed(reason) {
      // Without a SQLSTATE it is what we did ourselves, or a line that broke: not the server's word.
      if (!(reason instanceof SQL.PostgresError) || reason.errno === undefined) return
      last = { reason, at: performance.now() }
    },
    after: (since) => (last !== undefined && last.at >= since ? last.reason : undefined),
  }
}
