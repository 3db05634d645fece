import type { ReasoningDetail } from './chat/request.ts'

/**
 * Whose signature a block of reasoning has, in OpenRouter's words for `reasoning_details[].format`
 * (https://openrouter.ai/docs/guides/best-practices/reasoning-tokens). Claude's are the same at Anthropic, Bedrock and Vertex.
 */
export const THOUGHT_FORMATS = {
  anthropic: 'anthropic-claude-v1',
  google: 'google-gemini-v1',
  mistral: 'mistral-v1',
  openai: 'openai-responses-v1',
} as const

export type ThoughtFormat = (typeof THOUGHT_FORMATS)[keyof typeof THOUGHT_FORMATS]

/** Whether a block may be sent back to models of this format: not where it says that another one signed it. */
export function isOfFormat({ format }: ReasoningDetail, own: ThoughtFormat): boolean {
  return format === undefined || format === null || format === own || format === 'unknown'
}
