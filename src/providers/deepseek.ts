import type { Provider } from './provider.ts'

// https://api-docs.deepseek.com
export const deepseek: Provider = {
  id: 'deepseek',
  displayName: 'DeepSeek',
  wire: 'openai-chat',
  baseUrl: 'https://api.deepseek.com/v1',
  auth: { kind: 'bearer' },
  keyVariable: 'DEEPSEEK_API_KEY',
  quirks: {
    maxTokensField: 'max_tokens',
    supportsN: false,
    // "The valid range of top_p is (0, 1.0]": so little leaves the likeliest token alone.
    minimumTopP: 1e-6,
    maximumStops: 16,
    instructionRole: 'system',
    dropFields: ['logit_bias', 'seed', 'user', 'parallel_tool_calls'],
  },
}
