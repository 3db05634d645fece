import type { Provider } from './provider.ts'

// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
export const bedrock: Provider = {
  id: 'bedrock',
  displayName: 'Amazon Bedrock',
  wire: 'bedrock-converse',
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  auth: { kind: 'sigv4', service: 'bedrock' },
  keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
  quirks: { maximumTemperature: 1 },
}
