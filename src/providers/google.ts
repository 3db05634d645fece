import type { Provider } from './provider.ts'

// https://ai.google.dev/api/generate-content
export const google: Provider = {
  id: 'google',
  displayName: 'Google Gemini',
  wire: 'google-generate',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  // The query parameter `key` would do as well, but it leaks into logs.
  auth: { kind: 'header', name: 'x-goog-api-key' },
  keyVariable: 'GEMINI_API_KEY',
  quirks: {},
}
