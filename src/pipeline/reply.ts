import type { RequestId } from '../core/id.ts'
import type { RateStatus } from '../core/ports/till.ts'
import type { Caller } from './authenticate/caller.ts'

/** What one request gathers on its way: what its response headers tell, whatever the answer is, and what explains a refusal. */
export interface Exchange {
  /** `X-Request-ID`; of a chat completion the completion's id, also when it fails. */
  id: RequestId
  /** Set once the request was counted: the `X-RateLimit-*` headers. */
  rate: RateStatus | undefined
  /** Further response headers. */
  readonly headers: Record<string, string>
  /** A second header for the id: see `DataPlaneEndpoint.idHeader`. */
  readonly idHeader?: string | undefined
  /** Who asks, once the key is known to be good. */
  caller: Caller | undefined
  /** The model asked for, as the caller named it. */
  model: string | undefined
  /** A call owns a hold: whatever comes of it is in its usage record. */
  holds: boolean
}

/** A successful answer, ready for the socket. */
export type Reply =
  | { readonly kind: 'whole'; readonly contentType: string; readonly body: string }
  | { readonly kind: 'stream'; readonly body: StreamedBody }

/** A streamed answer that has begun. */
export interface StreamedBody {
  /** Starts writing; resolves when the last byte is written or the caller has gone. To be called at most once. */
  start(sink: ClientSink): Promise<void>
  /** The caller has gone; also before `start`. */
  leave(): void
}

/** The caller's side of a stream. */
export interface ClientSink {
  /** Sends at once. A promise: the caller reads too slowly, wait for it before more. */
  write(text: string): Promise<unknown> | undefined
  end(): void
}
