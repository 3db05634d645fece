import type { JsonObject } from '../../../src/core/json.ts'
import type { OpenaiUsage } from '../../support/scriptedProvider.ts'
import type { GreedModel } from './market.ts'

/** One attempt to get more than is paid for: what is asked, how, and what its provider answers. */
export interface Greed {
  /** Its row in the table. */
  readonly shape: string
  readonly model: GreedModel
  /** Beside `model`, `messages` and `user`. */
  readonly body: JsonObject
  /** Come before the message that names the call. */
  readonly messages?: readonly JsonObject[]
  readonly reply: Reply
  readonly manner: Manner
  /** How many callers send it at once; more than one: under one Idempotency-Key. */
  readonly callers?: number
  /** The hold covers whatever a true report of it can say: nothing may be written off. */
  readonly covered?: boolean
  /** Is answered to its end whatever happens: for keys with few calls at once. */
  readonly steady?: boolean
}

/** How a caller behaves. */
export type Manner =
  | { readonly kind: 'plain' }
  /** Sends its body in pieces. */
  | { readonly kind: 'trickle'; readonly pieces: number; readonly pauseMs: number }
  /** Leaves after this share of its body. */
  | { readonly kind: 'leaves_body'; readonly share: number }
  /** Leaves when the provider has been asked. */
  | { readonly kind: 'leaves_asked' }
  /** Leaves after so many bytes of the answer. */
  | { readonly kind: 'leaves_answer'; readonly bytes: number }

/** Where a model's output stands in the answer. */
export type Field = 'content' | 'arguments' | 'custom' | 'function_call' | 'reasoning_details'

/** What a provider answers. */
export interface Reply {
  /** Its output, over and over up to `tokens`. */
  readonly words: readonly string[]
  /** Of one choice, by its own count. */
  readonly tokens: number
  readonly wordsEach: number
  /** Frames in one write. Default 1. */
  readonly framesEach?: number
  /** Default `content`. */
  readonly field?: Field
  /** Thinks, out of sight, for so many tokens first. */
  readonly thinks?: number
  /** Its tokens are so many times what its text is taken for while it grows. Default: not more. */
  readonly tokensPerMeasured?: number
  /** Keeps to the output limit that it is sent. */
  readonly obeys: boolean
  /** Tokens of images and documents in the prompt, as it counts them. */
  readonly mediaTokens?: number
  /** What it makes of its own true report. Default: sends it; null: sends none. */
  readonly reports?: (truth: OpenaiUsage) => OpenaiUsage | null
  /** Answers with JSON whatever was asked. */
  readonly whole?: boolean
  /** Breaks off after so many bytes: each time, or only at first. */
  readonly breaks?: { readonly bytes: number; readonly how: 'close' | 'reset'; readonly again: boolean }
}

/** What a provider did for a call, each time it was asked. */
export interface Told {
  readonly promptTokens: number
  /** Of all choices, what it thought included, by its own count. */
  readonly completionTokens: number
  /** Of them, what stands in the answer. */
  readonly shownTokens: number
  /** Of the largest piece that it sent; of all of it, where the gateway may have read several at once. */
  readonly pieceTokens: number
  /** What it was allowed to make of all choices. */
  readonly limitTokens: number | undefined
  /** As it was sent; null: none was. */
  readonly usage: OpenaiUsage | null
}
