import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { anthropicMessages } from '../../src/wire/anthropic-messages/anthropicMessages.ts'
import { openAiChat } from '../../src/wire/openai-chat/openAiChat.ts'
import { openAiResponses } from '../../src/wire/openai-responses/openAiResponses.ts'
import { UnsupportedField } from '../../src/wire/wire.ts'

/** Formats whose recorded requests can be read: those of callers. */
export type CallerFormatId = 'openai-chat' | 'anthropic-messages' | 'openai-responses'

const FORMATS = {
  'openai-chat': openAiChat,
  'anthropic-messages': anthropicMessages,
  'openai-responses': openAiResponses,
} as const

/** A request in the words of chat completions; or the field that has none there. */
export type Translated =
  | { readonly ok: true; readonly body: JsonObject; readonly dropped: readonly string[] }
  | { readonly ok: false; readonly field: string }

const TARGET = {
  upstreamModel: '',
  maxOutputTokens: 1,
  quirks: {},
  unsupportedFields: [],
  facts: {},
} as const

/** What a caller of chat completions sends who wants what a recorded request asks for. */
export function inChatCompletions(format: CallerFormatId, request: JsonObject): Translated {
  if (format === 'openai-chat') return { ok: true, body: request, dropped: [] }
  const verdict = FORMATS[format].server.decodeRequest(request)
  if (!verdict.ok) return { ok: false, field: fieldOf(verdict.refusal.param ?? 'request') }
  return encoded(verdict.request)
}

function encoded(request: ChatRequest): Translated {
  try {
    const { body, dropped } = openAiChat.client.encodeRequest(request, TARGET)
    return { ok: true, body, dropped }
  } catch (error) {
    if (error instanceof UnsupportedField) return { ok: false, field: fieldOf(error.param) }
    throw error
  }
}

/** `messages[2].content[0].type` is of the kind `messages[].content[].type`. */
export function fieldOf(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]')
}
