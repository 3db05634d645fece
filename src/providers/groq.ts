import type { Provider } from './provider.ts'

// https://console.groq.com/docs/openai
export const groq: Provider = {
  id: 'groq',
  displayName: 'Groq',
  wire: 'openai-chat',
  baseUrl: 'https://api.groq.com/openai/v1',
  auth: { kind: 'bearer' },
  keyVariable: 'GROQ_API_KEY',
  quirks: {
    maxTokensField: 'max_completion_tokens',
    supportsN: false,
    dropFields: ['logprobs', 'top_logprobs', 'logit_bias'],
    dropMessageFields: ['name'],
    minimumTemperature: 1e-8,
    // Not documented, but seen: https://github.com/ogx-ai/ogx/pull/630
    wholeToolCalls: true,
  },
}
