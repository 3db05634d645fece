import type { Provider } from './provider.ts'

// https://github.com/ggml-org/llama.cpp/tree/master/tools/server
export const llamacpp: Provider = {
  id: 'llamacpp',
  displayName: 'llama.cpp',
  wire: 'openai-chat',
  baseUrl: 'http://127.0.0.1:8080/v1',
  auth: { kind: 'none' },
  local: true,
  quirks: {
    maxTokensField: 'max_tokens',
    supportsN: false,
    // They know no limit: more than any caller can send.
    maximumStops: 16,
    instructionRole: 'system',
    // Its own default is 0.8.
    sendDefaultTemperature: true,
  },
}
