import type { JsonObject } from '../../../../src/core/json.ts'
import type { Usage } from '../../../../src/core/usage.ts'

export function encodeUsage(usage: Usage): JsonObject {
  return {
    inputTokens: usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens,
    outputTokens: usage.completionTokens,
    totalTokens: usage.promptTokens + usage.completionTokens,
    cacheReadInputTokens: usage.cachedTokens,
    cacheWriteInputTokens: usage.cacheWriteTokens,
  }
}
