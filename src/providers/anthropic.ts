import type { Provider } from './provider.ts'

// https://platform.claude.com/docs/en/api/messages
export const anthropic: Provider = {
  id: 'anthropic',
  displayName: 'Anthropic',
  wire: 'anthropic-messages',
  baseUrl: 'https://api.anthropic.com/v1',
  auth: { kind: 'header', name: 'x-api-key' },
  keyVariable: 'ANTHROPIC_API_KEY',
  quirks: { maximumTemperature: 1 },
}
