import type { Json, JsonObject } from '../json.ts'
import type { ExactNumber } from '../exactNumber.ts'
import type { RequestTraits } from '../traits.ts'

/**
 * A chat completion request in the canonical language: the contract's parameters by our names, and
 * everything nested (messages, tools, response format) in OpenAI's own vocabulary, which is the one
 * that can say everything a caller can send. `undefined` means absent.
 */
export interface ChatRequest extends RequestTraits {
  readonly messages: readonly Message[]
  /** `max_completion_tokens`, or `max_tokens` when only that is given: tokens per choice. */
  readonly maxTokens?: number
  /** 0 to 2. Absent means 1. */
  readonly temperature?: number
  /** 0 to 1. */
  readonly topP?: number
  readonly frequencyPenalty?: number
  readonly presencePenalty?: number
  /** Always a list, 1 to 16 entries. */
  readonly stop?: readonly string[]
  readonly seed?: number | ExactNumber
  readonly topLogprobs?: number
  readonly tools?: readonly Tool[]
  readonly toolChoice?: ToolChoice
  readonly parallelToolCalls?: boolean
  readonly responseFormat?: ResponseFormat
  /** What OpenAI's interface has beyond these (`logit_bias`, `prediction`, `audio`, …), as it came. */
  readonly extra: JsonObject
  /** Names and values of the caller's body that are nowhere else here, and may pass to a provider of the caller's format. */
  readonly unmodelled?: readonly Json[]
  /** Of `tools` those that the caller's body has elsewhere than in its list of tools, as they came. */
  readonly toolsElsewhere?: readonly Json[]
  /** What only a provider of the caller's own format takes: a translation of the request is refused. */
  readonly nativeOnly?: NativeOnly
}

/** Why a request cannot be translated. */
export interface NativeOnly {
  /** Dotted path in the canonical request, or in the caller's body. */
  readonly param: string
  /** For the caller. */
  readonly message: string
}

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function'

/** A message as it came, checked only as far as the contract speaks; unknown nested fields are kept. */
export interface Message {
  readonly role: Role
  readonly content?: string | readonly ContentPart[] | null
  readonly name?: string
  readonly tool_calls?: readonly ToolCall[]
  /** On `tool` messages: which call this answers. */
  readonly tool_call_id?: string
  readonly refusal?: string | null
  /** Reasoning text of an earlier answer, replayed to providers that want it. */
  readonly reasoning_content?: string
  /** Reasoning blocks of an earlier answer with the provider's signatures, replayed unchanged. */
  readonly reasoning_details?: readonly ReasoningDetail[]
  readonly [field: string]: unknown
}

/** A piece of a message's content: text, image, audio, file, refusal. Unknown kinds are carried as they are. */
export type ContentPart = TextPart | ImagePart | OtherPart

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly [field: string]: unknown
}

export interface ImagePart {
  readonly type: 'image_url'
  readonly image_url: { readonly url: string; readonly detail?: string }
  readonly [field: string]: unknown
}

export interface OtherPart {
  readonly type: 'input_audio' | 'file' | 'refusal' | (string & {})
  readonly [field: string]: unknown
}

export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
  readonly [field: string]: unknown
}

/** A reasoning block as providers sign it; `signature` and `data` are opaque. */
export interface ReasoningDetail {
  readonly type: 'reasoning.text' | 'reasoning.encrypted' | (string & {})
  readonly text?: string
  readonly signature?: string
  readonly data?: string
  /** Whose signature it is: `anthropic-claude-v1`. Absent: it is not known. */
  readonly format?: string | null
  /** The tool call the signature belongs to, where the provider signs calls (Gemini). */
  readonly id?: string
  readonly [field: string]: unknown
}

/** A function the model may call; other kinds of tools are carried to providers that know them. */
export interface Tool {
  readonly type: 'function' | (string & {})
  readonly function?: {
    readonly name: string
    readonly description?: string
    readonly parameters?: JsonObject
    readonly strict?: boolean | null
  }
  readonly [field: string]: unknown
}

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { readonly type: 'function'; readonly function: { readonly name: string } }
  | { readonly type: string & {}; readonly [field: string]: unknown }

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema'
      readonly json_schema: {
        readonly name: string
        readonly description?: string
        readonly schema?: JsonObject
        readonly strict?: boolean | null
      }
    }
  | { readonly type: string & {}; readonly [field: string]: Json | undefined }
