import type { Provider } from './provider.ts'

// https://inference-docs.cerebras.ai/api-reference/chat-completions
export const cerebras: Provider = {
  id: 'cerebras',
  displayName: 'Cerebras',
  wire: 'openai-chat',
  baseUrl: 'https://api.cerebras.ai/v1',
  auth: { kind: 'bearer' },
  keyVariable: 'CEREBRAS_API_KEY',
  quirks: {
    maxTokensField: 'max_completion_tokens',
    supportsN: false,
    dropFields: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'service_tier'],
    // https://github.com/Kilo-Org/kilocode/issues/10375: it refuses messages with fields that it does not know.
    dropMessageFields: ['reasoning_content', 'reasoning_details'],
  },
}
