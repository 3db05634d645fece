import type { Auth } from '../wire/auth.ts'
import type { WireFormatId } from '../wire/formats.ts'
import type { WireQuirks } from '../wire/wire.ts'

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
  /** It is usually a server on the operator's own machine, which may read a prompt for minutes before it answers. */
  readonly local?: true
  /** The environment variable its API key is usually in; undefined when it needs none. */
  readonly keyVariable?: string
}
