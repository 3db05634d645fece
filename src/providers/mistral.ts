import type { Provider } from './provider.ts'

// https://docs.mistral.ai/api
export const mistral: Provider = {
  id: 'mistral',
  displayName: 'Mistral AI',
  wire: 'mistral-chat',
  baseUrl: 'https://api.mistral.ai/v1',
  auth: { kind: 'bearer' },
  keyVariable: 'MISTRAL_API_KEY',
  quirks: {
    sendDefaultTemperature: true,
    maximumTemperature: 1,
    // Not documented, but seen: https://github.com/comet-ml/opik/pull/7385
    wholeToolCalls: true,
  },
}
