import type { ChatRequest, Message, ToolCall } from '../../src/core/chat/request.ts'
import type { PromptSize } from '../../src/core/promptSize.ts'
import type { Usage } from '../../src/core/usage.ts'
import type { EncodeTarget } from '../../src/wire/wire.ts'

export const HELLO: readonly Message[] = [{ role: 'user', content: 'Hello' }]

/** A request that says no more than it must, and what is given. */
export function chatRequest(more: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'm', messages: HELLO, n: 1, stream: false, includeUsage: false, extra: {}, ...more }
}

/** A prompt of nothing but text. */
export function textPrompt(textTokens: number): PromptSize {
  return { textTokens, images: 0, audioTokens: 0, unfolds: false }
}

/** A place to send requests to, without quirks and facts but those given. */
export function encodeTarget(upstreamModel: string, more: Partial<EncodeTarget> = {}): EncodeTarget {
  return { upstreamModel, maxOutputTokens: 4096, quirks: {}, unsupportedFields: [], facts: {}, ...more }
}

/** @param text the arguments */
export function functionCall(id: string, name: string, text: string): ToolCall {
  return { id, type: 'function', function: { name, arguments: text } }
}

/** Counts; what is not given is 0. */
export function usageOf(promptTokens: number, completionTokens: number, more: Partial<Usage> = {}): Usage {
  return { promptTokens, cachedTokens: 0, cacheWriteTokens: 0, completionTokens, reasoningTokens: 0, ...more }
}
