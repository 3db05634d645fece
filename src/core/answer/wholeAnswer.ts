import type { JsonObject } from '../json.ts'
import type { ReportedUsage } from '../usage.ts'
import type { ReasoningDetail, ToolCall } from '../chat/request.ts'

/** Why a choice ended. Closed: every codec maps what its provider says onto these. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

/** Words for an answer that its limit did not cut, which a format has and the others do not: there it is `length`. */
export type FinerReason = 'pause_turn' | 'model_context_window_exceeded'

/** A whole answer in the canonical language. Id, `created` and `model` are the gateway's to add. */
export interface WholeAnswer {
  /** In order of `index`. */
  readonly choices: readonly Choice[]
  /** Undefined when the provider did not say: that is not zero. */
  readonly usage?: ReportedUsage
  /** Top-level fields of the interface that nothing of ours models (`service_tier`, `system_fingerprint`, …), and no others. */
  readonly extra: JsonObject
  /**
   * The answer as its provider wrote it, without what stays inside: a native lane sends it in place of the rest, because its
   * caller speaks the provider's own format.
   */
  readonly raw?: string
}

export interface Choice {
  readonly index: number
  readonly message: AssistantMessage
  readonly finishReason: FinishReason
  readonly finerReason?: FinerReason
  /** The provider's word, where it is unknown: then the answer counts as cut. */
  readonly unknownWord?: string
  /** OpenAI's shape: `{content, refusal}` of token log probabilities. */
  readonly logprobs?: JsonObject | null
  /** Fields beside the message that nothing of ours models (`content_filter_results`, …). */
  readonly extra?: JsonObject
}

/** The generated message in OpenAI's vocabulary; fields nobody models are kept as they came. */
export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly refusal?: string | null
  readonly tool_calls?: readonly ToolCall[]
  readonly reasoning_content?: string
  readonly reasoning_details?: readonly ReasoningDetail[]
  /** Citations: `[{type: 'url_citation', url_citation: {url, title, start_index, end_index}}]`. */
  readonly annotations?: readonly JsonObject[]
  readonly images?: readonly GeneratedImage[]
  readonly [field: string]: unknown
}

/** An image that the model made, as OpenRouter writes it: a data URL, and its ordinal among the message's images. */
export interface GeneratedImage {
  readonly type: 'image_url'
  readonly image_url: { readonly url: string }
  readonly index?: number
}
