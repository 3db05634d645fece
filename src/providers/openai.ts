import type { Provider } from './provider.ts'

// https://platform.openai.com/docs/api-reference/chat
export const openai: Provider = {
  id: 'openai',
  displayName: 'OpenAI',
  wire: 'openai-chat',
  baseUrl: 'https://api.openai.com/v1',
  auth: { kind: 'bearer' },
  keyVariable: 'OPENAI_API_KEY',
  quirks: {
    // Its reasoning models refuse `max_tokens`; the others take both names.
    maxTokensField: 'max_completion_tokens',
    customTools: true,
  },
}
