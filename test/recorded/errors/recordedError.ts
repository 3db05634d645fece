import type { FailureKind, RequestPart } from '../../../src/core/failure.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import type { NextMove } from '../../../src/upstream/afterFailure.ts'

/** An answer with an error, in the shape in which it was seen, and whose fault it is. */
export interface RecordedError {
  /** What is particular to it: the name of its test. */
  readonly shape: string
  /** Where it was seen: an address, or a repository with a path or an issue. */
  readonly source: string
  /** The id of the provider's row. */
  readonly provider: string
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is. */
  readonly body: JsonObject | string
  /** What was sent to the provider. Default: it is not known. */
  readonly sent?: JsonObject
  readonly verdict: Verdict
}

export interface Verdict {
  readonly kind: FailureKind
  readonly part?: RequestPart
  /** Of the caller's answer, where no other target helped. */
  readonly status: 400 | 502 | 503
  /** Of the caller's answer. Absent: null. */
  readonly param?: string
  /** Numbers that the caller's answer has. */
  readonly numbers?: readonly number[]
  /** Of a used-up rate: how long the provider asks to wait, in milliseconds. Absent: it does not say. */
  readonly waitMs?: number
  /** What is tried next, where another credential and another target are there. */
  readonly next: NextMove
}

/** The gateway's account, or its configuration, is at fault. */
export const OURS = {
  credential: { kind: 'credential', status: 502, next: 'rotate' },
  billing: { kind: 'billing', status: 502, next: 'rotate' },
  not_found: { kind: 'not_found', status: 502, next: 'next' },
} as const satisfies Record<string, Verdict>

/** A rate of the account is used up, and comes back: without a wait, when is not known. */
export function limited(waitMs?: number): Verdict {
  return { kind: 'rate_limited', status: 503, next: 'rotate', ...(waitMs !== undefined && { waitMs }) }
}

/** The model wrote something of no use. */
export const THE_MODELS: Verdict = { kind: 'malformed_output', status: 502, next: 'next' }

/** A limit of the account that no wait cures. */
export function overLimit(numbers?: readonly number[], param = 'messages'): Verdict {
  return { kind: 'over_limit', status: 400, param, next: 'rotate', ...(numbers && { numbers }) }
}

/** The prompt, alone or with its output, is too long. */
export function tooLong(numbers?: readonly number[], param = 'messages'): Verdict {
  return { kind: 'too_large', status: 400, param, next: 'next_larger', ...(numbers && { numbers }) }
}

/** Something of the request has too many bytes, characters or items. */
export function oversized(part: RequestPart, param?: string, numbers?: readonly number[]): Verdict {
  return {
    kind: 'oversized',
    part,
    status: 400,
    next: 'next',
    ...(param !== undefined && { param }),
    ...(numbers && { numbers }),
  }
}

/** A mistake of the caller. */
export function callers(param?: string, numbers?: readonly number[]): Verdict {
  return {
    kind: 'bad_request',
    status: 400,
    next: 'stop',
    ...(param !== undefined && { param }),
    ...(numbers && { numbers }),
  }
}
