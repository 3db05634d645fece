import type { Refusal } from '../core/error.ts'
import type { Json } from '../core/json.ts'

/** A chat request as it stands at the door: nothing of it is read before its key is known to be good. */
export interface Incoming {
  readonly authorization: string | null
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | null
  /** Reads the body once; a body that is too large or no JSON is a refusal, kept until its turn. */
  body(): Promise<IncomingBody>
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal
}

export type IncomingBody =
  | { readonly ok: true; readonly json: Json; readonly text: string }
  | { readonly ok: false; readonly refusal: Refusal }
