import type { Provider } from './provider.ts'

// https://platform.moonshot.ai/docs/api/chat
export const moonshot: Provider = {
  id: 'moonshot',
  displayName: 'Moonshot AI',
  wire: 'openai-chat',
  baseUrl: 'https://api.moonshot.ai/v1',
  auth: { kind: 'bearer' },
  keyVariable: 'MOONSHOT_API_KEY',
  quirks: {
    maxTokensField: 'max_tokens',
    instructionRole: 'system',
    maximumStops: 5,
    // Refused together with a temperature near 0.
    supportsN: false,
    maximumTemperature: 1,
    // Its own default depends on the model.
    sendDefaultTemperature: true,
  },
}
