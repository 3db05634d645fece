import type { JsonObject } from '../json.ts'
import type { ReportedUsage } from '../usage.ts'
import type { Frame } from './frame.ts'
import type { UpstreamFailure } from '../failure.ts'
import type { ReasoningDetail } from '../chat/request.ts'
import type { FinerReason, FinishReason, GeneratedImage } from './wholeAnswer.ts'

/**
 * What happens in a streamed answer. A closed union: a new kind is a type error in every switch.
 * Order: `start` first, then `delta`s; per choice one `finish`; `usage` any time, after what its frame says
 * besides (`reportAfter` says which one holds, and of what);
 * `error` ends the stream. A stream that ends without a `finish` for each choice was cut.
 *
 * `raw` is what a native lane sends in place of all that the event says, because its caller speaks the provider's own format:
 * the frames as they came. It is empty where a later event of the same frame has them.
 */
export type AnswerEvent =
  /** The provider has begun to answer: the first valid event. `extra`: see `WholeAnswer.extra`. */
  | { readonly type: 'start'; readonly extra?: JsonObject; readonly raw?: readonly Frame[] }
  | {
      readonly type: 'delta'
      readonly index: number
      readonly delta: Delta
      readonly logprobs?: JsonObject | null
      /** Fields of the choice, beside its delta, that nobody models. */
      readonly choiceExtra?: JsonObject
      /** What it brings was held back, or is not the model's: a usage report that came before counts it. */
      readonly isReported?: true
      /** Top-level fields of the provider's frame: see `WholeAnswer.extra`. */
      readonly extra?: JsonObject
      readonly raw?: readonly Frame[]
    }
  | {
      readonly type: 'finish'
      readonly index: number
      readonly reason: FinishReason
      readonly finerReason?: FinerReason
      /** The provider's word, where it is unknown: see `readFinish`. */
      readonly unknownWord?: string
      readonly choiceExtra?: JsonObject
      readonly extra?: JsonObject
      readonly raw?: readonly Frame[]
    }
  | { readonly type: 'usage'; readonly usage: ReportedUsage }
  | { readonly type: 'error'; readonly failure: UpstreamFailure }

/** An increment of one choice's message, in OpenAI's vocabulary; never holds `role`. */
export interface Delta {
  readonly content?: string | null
  readonly refusal?: string | null
  readonly tool_calls?: readonly ToolCallDelta[]
  readonly reasoning_content?: string | null
  readonly reasoning_details?: readonly ReasoningDetail[]
  readonly annotations?: readonly JsonObject[]
  readonly images?: readonly GeneratedImage[]
  readonly [field: string]: unknown
}

/** The first fragment of a call carries `id`, `type` and the name; later ones only `index` and arguments. */
export interface ToolCallDelta {
  /** Ordinal of the call within the choice's message. */
  readonly index: number
  readonly id?: string
  readonly type?: 'function'
  readonly function?: { readonly name?: string; readonly arguments?: string }
  readonly [field: string]: unknown
}
