import type { Capability, HiddenReasoning } from '../core/model.ts'
import type { ModelFacts } from '../core/modelFacts.ts'
import type { PriceSchedule } from '../core/price.ts'
import type { WireFormatId } from '../wire/formats.ts'

/** A known model: the configuration needs only its id. */
export interface KnownModel {
  /** `<provider>/<upstreamModel>` */
  readonly id: string
  /** The id of the provider's row that serves it. */
  readonly provider: string
  /** Its name at that provider. */
  readonly upstreamModel: string
  /** The wire format to ask it in; absent: that of its provider's row. */
  readonly wire?: WireFormatId
  readonly displayName: string
  /** Seconds since the epoch; 0 when the day of its release is not known. */
  readonly created: number
  /** In tokens. */
  readonly contextLength: number
  readonly maxOutputTokens: number
  /** The most prompt tokens that one image can cost. */
  readonly imageTokens: number
  readonly hiddenReasoning?: HiddenReasoning
  readonly capabilities: readonly Capability[]
  readonly aliases: readonly string[]
  readonly unsupportedFields: readonly string[]
  /** Those that it refuses only while it reasons out of sight. */
  readonly unsupportedWhileReasoning?: readonly string[]
  /** In the wire format that it is asked in. */
  readonly facts: ModelFacts
  /** The id of the model that it is a dated snapshot of, whose facts and prices these are; absent: it has a row of its own. */
  readonly snapshotOf?: string
  /** The provider's list price; undefined when no source has it under this exact id. */
  readonly officialPrices?: PriceSchedule
}
