import type { ModelFacts } from './modelFacts.ts'
import type { Nano } from './money.ts'
import type { PriceSchedule } from './price.ts'

/** The capabilities that clients of the price list know. */
export const CAPABILITIES = ['streaming', 'function_calling', 'json_mode', 'vision'] as const

export type Capability = (typeof CAPABILITIES)[number] | (string & {})

/**
 * What one image costs where nothing is known of the model: the limit of Qwen-VL (16,384 patches), which
 * of what is known only gpt-4o-mini exceeds. A hold that is too large is given back; one that is too
 * small is the gateway's loss.
 */
export const UNKNOWN_IMAGE_TOKENS = 16_384

/** What models that reason out of sight generate in a second, rather too low than too high: callers are charged by it. */
export const ASSUMED_TOKENS_PER_SECOND = 60

/** `by_default`: unless `reasoning_effort` is `none`. `on_request`: only where the request asks for it (`reasoning_effort`). */
export type HiddenReasoning = 'always' | 'by_default' | 'on_request'

/** A model as the catalogue knows it: what it can do, what it costs, and where it is served. */
export interface Model {
  /** The canonical id; may contain `/`. */
  readonly id: string
  readonly displayName: string
  /** Lowercase provider name. */
  readonly ownedBy: string
  readonly category: string
  /** Seconds since the epoch. */
  readonly created: number
  /** Prompt and output together, in tokens. */
  readonly contextLength: number
  readonly maxOutputTokens: number
  /** Output tokens that a hold assumes when the caller gave no `max_tokens`; never above `maxOutputTokens`. */
  readonly assumedOutputTokens: number
  /** Output tokens of one choice that it is assumed to generate in a second, where they are neither visible nor reported; above 0. */
  readonly assumedTokensPerSecond: number
  /** The most prompt tokens that one image can cost. */
  readonly imageTokens: number
  /** Reasons without showing all of it, so that a stream does not tell how far it is; absent: never. */
  readonly hiddenReasoning?: HiddenReasoning
  readonly capabilities: readonly Capability[]
  readonly prices: PriceSchedule
  readonly officialPrice?: OfficialPrice
  readonly targets: readonly Target[]
  readonly strategy: RoutingStrategy
  readonly aliases: readonly string[]
  /** Still works, and says so in a `Deprecation` header. Milliseconds since the epoch. */
  readonly deprecation?: { readonly at: number; readonly sunset?: number }
  /** No longer served from then on; milliseconds since the epoch. */
  readonly retirement?: { readonly at: number; readonly successor?: string }
  /** Request fields this model refuses although its wire format has them (`temperature`, `top_p`, …). */
  readonly unsupportedFields: readonly string[]
  /** Those that it refuses only while it reasons out of sight; absent: none. */
  readonly unsupportedWhileReasoning?: readonly string[]
}

/** The provider's own list price, in nano-dollars per 1,000,000 tokens. */
export interface OfficialPrice {
  readonly input: Nano
  readonly output: Nano
  /** Provider name. */
  readonly source: string
  /** Announced changes, by `validFrom` (milliseconds since the epoch) ascending. */
  readonly later?: readonly { readonly validFrom: number; readonly input: Nano; readonly output: Nano }[]
}

/** One place where a model is served. */
export interface Target {
  /** The id of a configured provider. */
  readonly provider: string
  /** The model's name at that provider. */
  readonly upstreamModel: string
  /** Id of the wire format that is spoken there; absent: the provider's own. */
  readonly wire?: string
  /** The smallest output limit that it can be sent, in tokens: a smaller one is sent as this. Absent: 1. */
  readonly outputTokensMin?: number
  /** About the model at that provider: other targets can serve another one. */
  readonly facts: ModelFacts
  /** Share of the traffic under `weighted`; above 0. */
  readonly weight: number
  /** Lower is tried first under `priority`. */
  readonly priority: number
  /** What this provider asks of us, for `cheapest`; nano-dollars per 1,000,000 tokens. */
  readonly cost?: { readonly input: Nano; readonly output: Nano }
}

export type RoutingStrategy = 'priority' | 'weighted' | 'cheapest' | 'fastest'
