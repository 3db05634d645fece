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
    instructionRole: 'system',
    dropFields: ['logit_bias', 'seed', 'user', 'parallel_tool_calls'],
  },
}
