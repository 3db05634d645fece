import type { Provider } from './provider.ts'

// https://docs.cohere.com/reference/chat
export const cohere: Provider = {
  id: 'cohere',
  displayName: 'Cohere',
  wire: 'cohere-chat',
  baseUrl: 'https://api.cohere.com/v2',
  auth: { kind: 'bearer' },
  keyVariable: 'COHERE_API_KEY',
  quirks: {
    // Its own default is 0.3.
    sendDefaultTemperature: true,
    maximumTemperature: 1,
  },
}
