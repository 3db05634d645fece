import type { JsonObject } from './json.ts'
import type { Nano } from './money.ts'
import type { MadeBy } from './ports/keptResponses.ts'

/**
 * What routing, holds, clocks and refusals ask of a request, whichever endpoint it came to. A chat request has all of it;
 * another endpoint leaves out what it does not have.
 */
export interface RequestTraits {
  /** As the caller names it: an id or an alias. The upstream model is given to the codec apart. */
  readonly model: string
  /** How many choices, 1 to 128: each is an answer of its own. */
  readonly n: number
  /** The caller's output limit, in tokens for each choice. */
  readonly maxTokens?: number
  readonly stream: boolean
  /** The caller wants the usage in its stream. */
  readonly includeUsage: boolean
  readonly logprobs?: boolean
  /** How much the model is to reason; what it reasons out of sight depends on it. */
  readonly reasoningEffort?: string
  /** The model is to reason, as much as it likes. */
  readonly reasons?: true
  /** What the model may call. */
  readonly tools?: readonly unknown[]
  /** `none`: it may not. */
  readonly toolChoice?: unknown
  readonly responseFormat?: unknown
  readonly user?: string
  /** Requests with the same key are best served by the same provider, whose prompt cache is warm. */
  readonly promptCacheKey?: string
  /** Encrypted reasoning within the request that comes from kept answers, with who made it, the latest last. */
  readonly makers?: ReadonlyMap<string, MadeBy>
  /** Names of what kept answers have and cannot be sent again: they go without it. */
  readonly leftOut?: readonly string[]
  /** How the caller wants the gateway to choose among models and providers; never forwarded. */
  readonly routing?: RoutingPreferences
  /**
   * The caller's names for what the canonical language does not have: top-level fields, tools of a vendor. Only a provider of the
   * caller's own format may get them; where they are left out the caller gets their names.
   */
  readonly unknownFields?: readonly string[]
  /** Further fields, as they came. */
  readonly extra: JsonObject
  readonly source?: RequestSource
}

/**
 * A request as its caller wrote it: for providers that speak the caller's format (the native lane), and for answers that repeat it.
 */
export interface RequestSource {
  /** The id of the wire format. */
  readonly format: string
  readonly body: JsonObject
  /** Those of the request's headers that belong to the format, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/** The gateway's own request fields `models` and `provider`: where the request may go. */
export interface RoutingPreferences {
  /** Further model ids, tried in this order when the requested one cannot be served. */
  readonly models?: readonly string[]
  /** Provider names to try first, in this order. */
  readonly order?: readonly string[]
  /** The only provider names to use. */
  readonly only?: readonly string[]
  /** Provider names not to use. */
  readonly ignore?: readonly string[]
  /** False: only what `order` names, or else the first candidate. Default true. */
  readonly allowFallbacks?: boolean
  readonly sort?: 'price' | 'throughput' | 'latency'
  /** The dearest acceptable prices, in nano-dollars per 1,000,000 tokens. */
  readonly maxPrice?: { readonly input?: Nano; readonly output?: Nano }
}
