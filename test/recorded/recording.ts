import type { FailureKind, RequestPart } from '../../src/core/failure.ts'
import type { FinishReason } from '../../src/core/answer/wholeAnswer.ts'
import type { ReportedUsage } from '../../src/core/usage.ts'

/** Answers of a provider, by the shapes that were seen of it. */
export interface Recordings {
  /** The id of the provider's row: its wire format and its quirks read them. */
  readonly provider: string
  readonly answers: readonly AnswerRecording[]
  readonly errors: readonly ErrorRecording[]
}

/** Bytes in the provider's folder of one answer, in one form or in several with the same content. */
export interface AnswerRecording {
  /** What is particular to it, in words: the name of its test. */
  readonly shape: string
  /**
   * Whole: `.json`. Streamed: `.sse`, or for Bedrock `.jsonl` with one `{"<event type>": payload}` a line, which is framed as
   * AWS does.
   */
  readonly files: readonly [string, ...string[]]
  /** Where this shape was seen: an address, or a repository with a path or an issue. */
  readonly source: string
  /** How many choices were asked for. Default: 1. */
  readonly choices?: number
  /** What its first choice says and what it used; or how it fails. */
  readonly tells: Told | { readonly fails: FailureKind }
}

/** What is absent was not said. */
export interface Told {
  readonly text?: string
  readonly reasoning?: string
  readonly refusal?: string
  /** Name and arguments (or a custom call's input) of each call, in order. */
  readonly calls?: readonly (readonly [name: string, args: string])[]
  readonly images?: number
  readonly citations?: number
  readonly finish: FinishReason
  /** Absent: the provider does not report it. */
  readonly usage?: Partial<ReportedUsage>
}

/** An answer with an error status, its body in the provider's folder. */
export interface ErrorRecording {
  readonly shape: string
  readonly file: string
  readonly source: string
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly fails: {
    readonly kind: FailureKind
    readonly code?: string
    readonly param?: string
    readonly part?: RequestPart
    readonly limit?: number
    readonly requested?: number
    readonly retryAfterMs?: number
    readonly remainingZero?: true
  }
}
