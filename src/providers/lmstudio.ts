import type { Provider } from './provider.ts'

// https://lmstudio.ai/docs/developer/openai-compat
export const lmstudio: Provider = {
  id: 'lmstudio',
  displayName: 'LM Studio',
  wire: 'openai-chat',
  baseUrl: 'http://127.0.0.1:1234/v1',
  auth: { kind: 'none' },
  local: true,
  quirks: {
    maxTokensField: 'max_tokens',
    supportsN: false,
    // They know no limit: more than any caller can send.
    maximumStops: 16,
    instructionRole: 'system',
    // Its own default is the preset's.
    sendDefaultTemperature: true,
  },
}
