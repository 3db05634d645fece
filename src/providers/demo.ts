import type { Provider } from './provider.ts'

/** Lives in this process (`src/demo`): a first request needs no account anywhere. */
export const demo: Provider = {
  id: 'demo',
  displayName: 'Demo',
  wire: 'openai-chat',
  baseUrl: 'demo://local/v1',
  auth: { kind: 'none' },
  quirks: {},
}
