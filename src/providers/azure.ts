import type { Provider } from './provider.ts'

// https://learn.microsoft.com/azure/ai-foundry/openai/latest: the v1 API, where `model` is the deployment.
export const azure: Provider = {
  id: 'azure',
  displayName: 'Azure OpenAI',
  wire: 'openai-chat',
  baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
  auth: { kind: 'header', name: 'api-key' },
  keyVariable: 'AZURE_OPENAI_API_KEY',
  quirks: { maxTokensField: 'max_completion_tokens', customTools: true },
}
