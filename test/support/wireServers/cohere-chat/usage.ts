import type { JsonObject } from '../../../../src/core/json.ts'
import type { Usage } from '../../../../src/core/usage.ts'

/** Billed units only where no cached token would be lost: they cannot tell them apart. */
export function encodeUsage(usage: Usage): JsonObject {
  const counts = { input_tokens: usage.promptTokens, output_tokens: usage.completionTokens }
  return usage.cachedTokens === 0
    ? { billed_units: counts, tokens: counts }
    : { tokens: counts, cached_tokens: usage.cachedTokens }
}
