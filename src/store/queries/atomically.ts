import type { CompiledQuery } from 'kysely'

/** A change that is decided on what it loads, with nobody in between. */
export interface AtomicChange<Result> {
  /** Each locks what it loads, on an engine that lets others write at the same time. */
  readonly load: readonly CompiledQuery[]
  /** Pure: may be called again with what is loaded then. */
  decide(loaded: readonly (readonly object[])[]): {
    /** All of them or none. Each row is written by one. Empty: nothing is committed. */
    readonly writes: readonly CompiledQuery[]
    readonly result: Result
  }
}

/** How an engine makes such a change: exactly once. Throws `StoreUnavailable`. */
export interface Atomically {
  run<Result>(change: AtomicChange<Result>): Promise<Result>
  /** Whether what is loaded needs `for update`. */
  readonly locks: boolean
}
