import type { ReasoningDetail, ToolCall } from '../core/chat/request.ts'
import type { AssistantMessage, GeneratedImage } from '../core/answer/wholeAnswer.ts'
import type { JsonObject } from '../core/json.ts'

/** What a turn of the model says, gathered from its blocks. */
export interface AssistantWords {
  readonly text: string
  readonly reasoning: string
  readonly details?: readonly ReasoningDetail[]
  readonly toolCalls: readonly ToolCall[]
  readonly annotations?: readonly JsonObject[]
  readonly images?: readonly GeneratedImage[]
}

/** The message, without fields that would be empty. Calls alone have no content. */
export function assistantMessage(words: AssistantWords): AssistantMessage {
  const { text, reasoning, details = [], toolCalls, annotations = [], images = [] } = words
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...(annotations.length > 0 && { annotations }),
    ...(images.length > 0 && { images }),
  }
}
