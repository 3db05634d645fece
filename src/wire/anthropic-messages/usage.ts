import type { JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { readNumber, readObject, readObjects } from '../read.ts'

/** Token counts as Anthropic reports them: `input` excludes what the cache read or wrote. */
export interface Counts {
  input: number
  cacheRead: number
  cacheWrite: number
  output: number
  thinking: number
}

/**
 * Adds a report to what is known. What it cost to make the conversation shorter is not in the other counts of a report
 * (`BetaUsage.iterations` of @anthropic-ai/sdk 1.11.0).
 * Reports of one stream are cumulative, and their input side may be
 * null or 0 where it was said before: the larger count holds. Undefined while nothing was reported.
 */
export function mergeUsage(known: Counts | undefined, report: unknown): Counts | undefined {
  const usage = readObject(report)
  if (!usage) return known
  const beside = readObjects(usage.iterations).filter(({ type }) => type === 'compaction')
  const said = (name: string): number =>
    [usage, ...beside].reduce((sum, counts) => sum + Math.max(0, readNumber(counts[name]) ?? 0), 0)
  return {
    input: larger(known?.input, said('input_tokens')),
    cacheRead: larger(known?.cacheRead, said('cache_read_input_tokens')),
    cacheWrite: larger(known?.cacheWrite, said('cache_creation_input_tokens')),
    output: larger(known?.output, said('output_tokens')),
    thinking: larger(known?.thinking, readObject(usage.output_tokens_details)?.thinking_tokens),
  }
}

/** In our convention: cache reads and writes are part of the prompt. */
export function decodeUsage(counts: Counts): Usage {
  return {
    promptTokens: counts.input + counts.cacheRead + counts.cacheWrite,
    cachedTokens: counts.cacheRead,
    cacheWriteTokens: counts.cacheWrite,
    completionTokens: counts.output,
    reasoningTokens: counts.thinking,
  }
}

/** The part of usage that both a message and a `message_delta` carry. */
export function encodeUsage(usage: Usage | undefined): JsonObject {
  const { promptTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = usage ?? {}
  const { completionTokens = 0, reasoningTokens = 0 } = usage ?? {}
  return {
    input_tokens: promptTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: null,
  }
}

/** A message's usage has a few fields more. */
export function encodeMessageUsage(usage: Usage | undefined): JsonObject {
  return {
    ...encodeUsage(usage),
    cache_creation: null,
    inference_geo: null,
    service_tier: null,
    speed: null,
  }
}

function larger(known: number | undefined, reported: unknown): number {
  return Math.max(known ?? 0, readNumber(reported) ?? 0)
}
