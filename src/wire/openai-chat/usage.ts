import { type JsonObject, isJsonObject } from '../../core/json.ts'
import { ownTotal, type ReportedUsage, type Usage } from '../../core/usage.ts'
import { readNumber, readObject } from '../read.ts'

/**
 * Reads a usage object with its dialects: DeepSeek's `prompt_cache_hit_tokens`, Moonshot's top-level
 * `cached_tokens`, a missing `completion_tokens`. Numbers are taken as they are: whether they can be true
 * is judged elsewhere. Undefined when it reports nothing, which an all-zero one does too: no prompt has
 * no tokens (`isZeroReport`).
 */
export function decodeUsage(value: unknown): ReportedUsage | undefined {
  if (!isJsonObject(value)) return undefined
  const prompt = readNumber(value.prompt_tokens)
  const total = readNumber(value.total_tokens)
  const rest = prompt === undefined || total === undefined ? undefined : total - prompt
  // One of both that is no number is not reported: 0, which no prompt and no text can have.
  const promptTokens = prompt ?? 0
  const completionTokens = readNumber(value.completion_tokens) ?? rest ?? 0
  if (promptTokens === 0 && completionTokens === 0) return undefined
  const promptDetails = readObject(value.prompt_tokens_details)
  const completionDetails = readObject(value.completion_tokens_details)
  const usage: Usage = {
    promptTokens,
    cachedTokens:
      readNumber(promptDetails?.cached_tokens) ??
      readNumber(value.prompt_cache_hit_tokens) ??
      readNumber(value.cached_tokens) ??
      0,
    cacheWriteTokens: readNumber(promptDetails?.cache_write_tokens) ?? 0,
    completionTokens,
    reasoningTokens:
      readNumber(completionDetails?.reasoning_tokens) ?? readNumber(value.reasoning_tokens) ?? 0,
  }
  return { ...usage, ...ownTotal(total, usage) }
}

/**
 * Whether a usage object reports 0 of everything. Servers that do not count send one with every answer. For an answer that
 * a filter ended it is meant: some providers do not charge for that (docs/billing.md#usage).
 */
export function isZeroReport(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = value
  return prompt === 0 && (completion ?? 0) === 0 && (total ?? 0) === 0
}

/** The `usage` of OpenAI's API, with its details. */
export function encodeUsage(usage: Usage): JsonObject {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens,
      ...(usage.cacheWriteTokens > 0 && { cache_write_tokens: usage.cacheWriteTokens }),
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}
