import type { Provider } from './provider.ts'

// https://docs.ollama.com/api/openai-compatibility
export const ollama: Provider = {
  id: 'ollama',
  displayName: 'Ollama',
  wire: 'openai-chat',
  baseUrl: 'http://127.0.0.1:11434/v1',
  auth: { kind: 'none' },
  local: true,
  quirks: {
    maxTokensField: 'max_tokens',
    supportsN: false,
    // They know no limit: more than any caller can send.
    maximumStops: 16,
    instructionRole: 'system',
    dropFields: ['logit_bias', 'user'],
    // https://github.com/ollama/ollama/issues/11633
    wholeToolCalls: true,
  },
}
