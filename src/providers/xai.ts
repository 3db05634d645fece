import type { Provider } from './provider.ts'

// https://docs.x.ai/docs/api-reference
export const xai: Provider = {
  id: 'xai',
  displayName: 'xAI',
  wire: 'openai-chat',
  baseUrl: 'https://api.x.ai/v1',
  auth: { kind: 'bearer' },
  keyVariable: 'XAI_API_KEY',
  quirks: {
    maxTokensField: 'max_completion_tokens',
    // Not documented: parallel calls give what was asked for either way.
    supportsN: false,
    reasoningOutsideCompletion: true,
    // https://docs.x.ai/developers/tools/function-calling
    wholeToolCalls: true,
  },
}
