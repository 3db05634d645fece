import type { Refusal } from '../../core/error.ts'
import type { Json } from '../../core/json.ts'
import type { BodyShare } from './bodyBudget.ts'

/** The headers that a key may come in; null: not sent. */
export interface Credentials {
  readonly authorization: string | null
  /** `x-api-key`. */
  readonly apiKey: string | null
}

/** The headers of a request; null: not sent. */
export interface HeadersSent {
  get(name: string): string | null
}

/** The unread request: the body is only read after the API key has been verified. */
export interface Incoming {
  readonly credentials: Credentials
  readonly headers: HeadersSent
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | null
  /** The body's declared length; undefined when it is sent in chunks or compressed. */
  readonly bodyBytes: number | undefined
  /**
   * Reads the body once, into the call's share of the memory for bodies. A body that is too large, finds
   * no room or is no JSON is a refusal, kept until its turn.
   */
  body(share: BodyShare): Promise<IncomingBody>
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal
}

export type IncomingBody =
  | {
      readonly ok: true
      readonly json: Json
      /** In bytes, after decompression. */
      readonly bytes: number
      /** SHA-256 in lowercase hexadecimal; of a call without Idempotency-Key undefined. */
      readonly hash: string | undefined
    }
  | { readonly ok: false; readonly refusal: Refusal }
