import type { Provider } from './provider.ts'

// https://docs.fireworks.ai/api-reference/post-chatcompletions
export const fireworks: Provider = {
  id: 'fireworks',
  displayName: 'Fireworks AI',
  wire: 'openai-chat',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  auth: { kind: 'bearer' },
  keyVariable: 'FIREWORKS_API_KEY',
  quirks: { maxTokensField: 'max_tokens', instructionRole: 'system' },
}
