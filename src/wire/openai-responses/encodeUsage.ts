import type { JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'

/** The `usage` of a response; null where none was reported. */
export function encodeUsage(usage: Usage | undefined): JsonObject | null {
  if (usage === undefined) return null
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = usage
  return {
    input_tokens: promptTokens,
    input_tokens_details: {
      cached_tokens: cachedTokens,
      ...(cacheWriteTokens > 0 && { cache_write_tokens: cacheWriteTokens }),
    },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  }
}
