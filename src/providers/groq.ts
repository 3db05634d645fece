import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { Provider } from './provider.ts'

// https://console.groq.com/docs/openai
export const groq: Provider = {
  id: 'groq',
  displayName: 'Groq',
  wire: 'openai-chat',
  baseUrl: 'https://api.groq.com/openai/v1',
  auth: { kind: 'bearer' },
  keyVariable: 'GROQ_API_KEY',
  quirks: {
    maxTokensField: 'max_completion_tokens',
    supportsN: false,
    dropFields: ['logprobs', 'top_logprobs', 'logit_bias'],
    dropMessageFields: ['name'],
    minimumTemperature: 1e-8,
    patchAnswer: liftUsage,
  },
}

/** Its last frame may hold the usage under `x_groq` alone. */
function liftUsage(body: JsonObject): JsonObject {
  const { x_groq: own } = body
  if (isJsonObject(body.usage) || !isJsonObject(own) || !isJsonObject(own.usage)) return body
  return { ...body, usage: own.usage }
}
