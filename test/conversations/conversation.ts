import type { JsonObject } from '../../src/core/json.ts'
import type { ReasoningDetail, ToolCall } from '../../src/core/chat/request.ts'
import type {
  AssistantMessage,
  WholeAnswer,
  Choice,
  FinishReason,
} from '../../src/core/answer/wholeAnswer.ts'
import type { Usage } from '../../src/core/usage.ts'

/** What a caller asks and a provider answers, the same for every wire format. */
export interface Conversation {
  /** What it shows; a row of docs/differences.md. */
  readonly name: string
  /** The caller's request, without `model` and `stream`. */
  readonly request: JsonObject
  /** What the model says, in the canonical language. */
  readonly answer: WholeAnswer
}

export const USAGE: Usage = {
  promptTokens: 40,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 20,
  reasoningTokens: 0,
}

export function user(content: unknown): JsonObject {
  return { role: 'user', content } as JsonObject
}

/** A plain conversation of one question with further fields, answered in text. */
export function asks(
  name: string,
  fields: Readonly<Record<string, unknown>>,
  answer: WholeAnswer = says('Of course.'),
): Conversation {
  const request = { messages: [user('Tell me about the sea.')], ...fields } as JsonObject
  return { name, request, answer }
}

export function says(
  content: string,
  more: Partial<Omit<AssistantMessage, 'role' | 'content'>> = {},
  finishReason: FinishReason = 'stop',
): WholeAnswer {
  return answers([{ index: 0, message: { role: 'assistant', content, ...more }, finishReason }])
}

export function calls(toolCalls: readonly ToolCall[], content: string | null = null): WholeAnswer {
  const message = { role: 'assistant', content, tool_calls: toolCalls } as const
  return answers([{ index: 0, message, finishReason: 'tool_calls' }])
}

export function answers(choices: readonly Choice[], usage: Usage = USAGE): WholeAnswer {
  return { choices, usage, extra: {} }
}

export function call(id: string, name: string, given: JsonObject): ToolCall {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(given) } }
}

export function tool(name: string, more: JsonObject = {}): JsonObject {
  return {
    type: 'function',
    function: {
      name,
      description: `Looks up the ${name}.`,
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
      ...more,
    },
  }
}

export function signedThought(text: string): readonly ReasoningDetail[] {
  return [{ type: 'reasoning.text', text, signature: 'c2lnbmF0dXJlIG9mIHRoZSB0aG91Z2h0' }]
}
