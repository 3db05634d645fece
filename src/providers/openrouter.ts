import type { Provider } from './provider.ts'

// https://openrouter.ai/docs/api-reference/chat-completion
export const openrouter: Provider = {
  id: 'openrouter',
  displayName: 'OpenRouter',
  wire: 'openai-chat',
  baseUrl: 'https://openrouter.ai/api/v1',
  auth: { kind: 'bearer' },
  keyVariable: 'OPENROUTER_API_KEY',
  quirks: {
    maxTokensField: 'max_tokens',
    // Depends on where it routes to: parallel calls give what was asked for either way.
    supportsN: false,
  },
}
