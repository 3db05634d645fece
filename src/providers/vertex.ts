import type { Provider } from './provider.ts'

// https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest
export const vertex: Provider = {
  id: 'vertex',
  displayName: 'Google Vertex AI',
  wire: 'google-generate',
  // `{location-}` is the location and a dash, or nothing for `global`, whose host has no prefix.
  baseUrl:
    'https://{location-}aiplatform.googleapis.com/v1/projects/{project}/locations/{location}/publishers/google',
  auth: { kind: 'google-oauth' },
  keyVariable: 'GOOGLE_APPLICATION_CREDENTIALS',
  quirks: {},
}
