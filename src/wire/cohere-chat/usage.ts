import type { Json, JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { readNumber, readObject } from '../read.ts'

/**
 * Counts are `billed_units`, which the list price is for and which know no cheaper cached input. `tokens`
 * also counts Cohere's own prompt template, and so does `cached_tokens`: both stand in where nothing was
 * billed by tokens. Thoughts are told apart among the tokens alone, and billed as output.
 */
export function decodeUsage(value: Json | undefined): Usage | undefined {
  const usage = readObject(value)
  const billed = tokenCounts(readObject(usage?.billed_units))
  const counts = billed ?? tokenCounts(readObject(usage?.tokens))
  if (usage === undefined || counts === undefined) return undefined
  const cached = billed === undefined ? (readNumber(usage.cached_tokens) ?? 0) : 0
  return {
    promptTokens: counts.input,
    cachedTokens: Math.min(cached, counts.input),
    cacheWriteTokens: 0,
    completionTokens: counts.output,
    reasoningTokens: Math.min(readNumber(readObject(usage.tokens)?.reasoning_tokens) ?? 0, counts.output),
  }
}

function tokenCounts(units: JsonObject | undefined): { input: number; output: number } | undefined {
  const input = readNumber(units?.input_tokens)
  const output = readNumber(units?.output_tokens)
  if (input === undefined && output === undefined) return undefined
  return { input: input ?? 0, output: output ?? 0 }
}
