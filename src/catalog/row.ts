import type { Capability, HiddenReasoning } from '../core/model.ts'
import type { ModelFacts } from '../core/modelFacts.ts'
import type { WireFormatId } from '../wire/formats.ts'
import type { WrittenPrice } from './officialPrices.ts'
import type { Sources } from './source.ts'

/**
 * What people keep up by hand of a known model. Prices are in `officialPrices.json`: `scripts/updateCatalog.ts` takes
 * them from the price package, or from `statedPrice` where the package does not know the model.
 */
export interface CatalogRow {
  /** The model's name at its provider. */
  readonly model: string
  readonly name: string
  /** ISO date of its release; absent when it is not known. */
  readonly released?: string
  /** The wire format to ask it in; absent: that of its provider's row. */
  readonly wire?: WireFormatId
  /** Prompt and output together, in tokens. */
  readonly context: number
  /** Most output of one choice, in tokens. */
  readonly output: number
  /** The most prompt tokens that one image costs; absent when the provider does not say. */
  readonly imageTokens?: number
  /** When it reasons without showing all of it; absent: never. */
  readonly hiddenReasoning?: HiddenReasoning
  readonly capabilities: readonly Capability[]
  /** Request fields it refuses. */
  readonly unsupported?: readonly string[]
  /** Those that it refuses only while it reasons. */
  readonly unsupportedWhileReasoning?: readonly string[]
  /** What the codec of its provider needs to know; absent: nothing. */
  readonly facts?: ModelFacts
  /** The price package's exact id for it, where that is not `model`. */
  readonly pricedAs?: string
  /** Its official price as the provider's own page has it: only for what the price package does not know. */
  readonly statedPrice?: StatedPrice
  /** Where each of these facts was read. */
  readonly sources: Sources
}

/** An official price that was read on a page. */
export interface StatedPrice {
  /** Address of the provider's page. */
  readonly source: string
  /** ISO date on which it was read there. */
  readonly read: string
  /** By `valid_from` ascending; in US dollars per 1,000,000 tokens. */
  readonly prices: readonly [WrittenPrice, ...WrittenPrice[]]
}

export const TOOLS: readonly Capability[] = ['streaming', 'function_calling', 'json_mode']
export const VISION: readonly Capability[] = ['streaming', 'function_calling', 'json_mode', 'vision']

/** Fields that steer how the next token is drawn, which models that reason on their own refuse. */
export const SAMPLING: readonly string[] = ['temperature', 'top_p']
