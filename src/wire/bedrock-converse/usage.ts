import type { Json } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { readNumber, readObject } from '../read.ts'

/**
 * Converse counts cached tokens beside `inputTokens`; our prompt holds them all. It does not tell
 * reasoning tokens apart: they are in `outputTokens`.
 */
export function decodeUsage(value: Json | undefined): Usage | undefined {
  const usage = readObject(value)
  const input = readNumber(usage?.inputTokens)
  const output = readNumber(usage?.outputTokens)
  if (usage === undefined || (input ?? output) === undefined) return undefined
  const cachedTokens = readNumber(usage.cacheReadInputTokens) ?? 0
  const cacheWriteTokens = readNumber(usage.cacheWriteInputTokens) ?? 0
  return {
    // Without `inputTokens` the prompt is unknown: 0, which none has.
    promptTokens: input === undefined ? 0 : input + cachedTokens + cacheWriteTokens,
    cachedTokens,
    cacheWriteTokens,
    completionTokens: output ?? 0,
    reasoningTokens: 0,
  }
}
