import type { JsonObject } from '../../../../src/core/json.ts'
import type { Usage } from '../../../../src/core/usage.ts'

export function encodeUsage(usage: Usage): JsonObject {
  return {
    promptTokenCount: usage.promptTokens,
    candidatesTokenCount: usage.completionTokens - usage.reasoningTokens,
    totalTokenCount: usage.promptTokens + usage.completionTokens,
    ...(usage.cachedTokens > 0 && { cachedContentTokenCount: usage.cachedTokens }),
    ...(usage.reasoningTokens > 0 && { thoughtsTokenCount: usage.reasoningTokens }),
  }
}
