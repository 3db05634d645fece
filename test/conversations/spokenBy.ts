import type { WireFormatId } from '../../src/wire/wire.ts'

/** The provider and the model that stand for each format. */
export const SPOKEN_BY: Readonly<Record<WireFormatId, { provider: string; model: string }>> = {
  'openai-chat': { provider: 'openai', model: 'gpt-4.1' },
  'anthropic-messages': { provider: 'anthropic', model: 'claude-sonnet-4-6' },
  'google-generate': { provider: 'google', model: 'gemini-3.5-flash' },
  'bedrock-converse': { provider: 'bedrock', model: 'us.anthropic.claude-sonnet-4-6' },
  'mistral-chat': { provider: 'mistral', model: 'mistral-medium-2604' },
  'cohere-chat': { provider: 'cohere', model: 'command-a-03-2025' },
}

export const FORMATS = Object.keys(SPOKEN_BY) as WireFormatId[]
