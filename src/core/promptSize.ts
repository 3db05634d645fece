import { walkPrompt } from './chat/walkPrompt.ts'
import type { ChatRequest } from './chat/request.ts'
import { mediaTokens } from './mediaTokens.ts'
import type { Model } from './model.ts'
import { estimateTokens } from './tokenEstimate.ts'

/** How much a prompt may be, before any model is chosen: what an image costs is the model's to say. */
export interface PromptSize {
  /** An estimate that rather errs upwards. */
  readonly textTokens: number
  readonly images: number
  readonly audioTokens: number
  /** It holds a document, a video or a reference, which may be any number of tokens. */
  readonly unfolds: boolean
}

/** Role, separators and the like around a message. */
const MESSAGE_TOKENS = 6
/** What every prompt has beside its messages. */
const PROMPT_TOKENS = 8
/** The instructions that Anthropic adds where there are tools: at most 804 (its page on tool use). */
const TOOL_USE_TOKENS = 810
/** The request for JSON that encoders add where a format lacks the field. */
const JSON_INSTRUCTION_TOKENS = 30
/** Quotes, colon and comma around a member or an item of JSON. */
const JSON_ITEM_TOKENS = 2

/** Estimates a prompt for its hold: nothing is charged by it while a provider reports usage. */
export function promptSizeOf(request: ChatRequest): PromptSize {
  let textTokens = PROMPT_TOKENS
  if (request.tools !== undefined) textTokens += TOOL_USE_TOKENS
  if (request.responseFormat !== undefined) textTokens += JSON_INSTRUCTION_TOKENS
  let images = 0
  let audioTokens = 0
  let unfolds = false
  walkPrompt(request, {
    message() {
      textTokens += MESSAGE_TOKENS
    },
    item() {
      textTokens += JSON_ITEM_TOKENS
    },
    text(text) {
      textTokens += estimateTokens(text)
    },
    image() {
      images++
    },
    audio(characters) {
      audioTokens += mediaTokens(characters)
    },
    document() {
      unfolds = true
    },
  })
  return { textTokens, images, audioTokens, unfolds }
}

/** Prompt tokens that one model may read of it: never more than its context holds. */
export function promptTokensOn(
  { textTokens, images, audioTokens, unfolds }: PromptSize,
  { contextLength, imageTokens }: Pick<Model, 'contextLength' | 'imageTokens'>,
): number {
  if (unfolds) return contextLength
  return Math.min(textTokens + images * imageTokens + audioTokens, contextLength)
}
