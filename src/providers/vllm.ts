import type { Provider } from './provider.ts'

// https://docs.vllm.ai/en/latest/serving/openai_compatible_server
export const vllm: Provider = {
  id: 'vllm',
  displayName: 'vLLM',
  wire: 'openai-chat',
  baseUrl: 'http://127.0.0.1:8000/v1',
  auth: { kind: 'none' },
  local: true,
  quirks: {
    maxTokensField: 'max_tokens',
    instructionRole: 'system',
    // "top_p must be in (0, 1]": so little leaves the likeliest token alone.
    minimumTopP: 1e-6,
    // Its own default is the model's.
    sendDefaultTemperature: true,
  },
}
