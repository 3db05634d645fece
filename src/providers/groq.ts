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
    // https://github.com/janhq/jan/issues/8136: it refuses messages with fields that it does not know.
    dropMessageFields: ['name', 'reasoning_content', 'reasoning_details'],
    minimumTemperature: 1e-8,
    // Not documented, but seen: https://github.com/ogx-ai/ogx/pull/630
    wholeToolCalls: true,
    // https://github.com/vercel/ai/issues/10023: 400 "json mode cannot be combined with tool/function calling"; of both
    // formats: https://github.com/vercel/ai/issues/16540.
    formatOrTools: true,
  },
}
