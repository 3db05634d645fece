import type { WireFormatId, WireQuirks } from '../wire/wire.ts'

/** A provider is data: an address, a wire format, an authentication and its quirks. */
export interface Provider {
  /** Lowercase; the name in the configuration and in model ids. */
  readonly id: string
  readonly displayName: string
  readonly wire: WireFormatId
  /** Without a trailing slash. May hold `{region}`-like placeholders that the configuration fills. */
  readonly baseUrl: string
  readonly auth: Auth
  readonly quirks: WireQuirks
  /** The environment variable its API key is usually in; undefined when it needs none. */
  readonly keyVariable?: string
}

/** How a request authenticates. */
export type Auth =
  | { readonly kind: 'none' }
  /** `Authorization: Bearer <key>` */
  | { readonly kind: 'bearer' }
  /** `<name>: <key>` */
  | { readonly kind: 'header'; readonly name: string }
  /** AWS Signature Version 4, or a bearer key when one is configured. */
  | { readonly kind: 'sigv4'; readonly service: string }
  /** OAuth token of a Google service account. */
  | { readonly kind: 'google-oauth' }
