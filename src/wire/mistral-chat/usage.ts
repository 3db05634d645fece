import type { Json, JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { readNumber, readObject } from '../read.ts'

/** Cached tokens are part of `prompt_tokens`, reasoning tokens of `completion_tokens`; audio is counted beside both. */
export function decodeUsage(value: Json | undefined): Usage | undefined {
  const usage = readObject(value)
  const promptTokens = readNumber(usage?.prompt_tokens)
  const completionTokens = readNumber(usage?.completion_tokens)
  if (usage === undefined || (promptTokens ?? completionTokens) === undefined) return undefined
  const promptDetails = readObject(usage.prompt_tokens_details) ?? readObject(usage.prompt_token_details)
  const completionDetails = readObject(usage.completion_tokens_details)
  return {
    // One of both that is no number is not reported: 0, which no prompt and no text can have.
    promptTokens: (promptTokens ?? 0) + audioBeside(usage, promptDetails),
    cachedTokens: readNumber(promptDetails?.cached_tokens) ?? readNumber(usage.num_cached_tokens) ?? 0,
    cacheWriteTokens: 0,
    completionTokens: completionTokens ?? 0,
    reasoningTokens: readNumber(completionDetails?.reasoning_tokens) ?? 0,
  }
}

/** Tokens of audio that the total has beyond prompt and completion; 0 where they are in the prompt. */
function audioBeside(usage: JsonObject, promptDetails: JsonObject | undefined): number {
  const [prompt, completion, total] = ['prompt_tokens', 'completion_tokens', 'total_tokens'].map((name) =>
    readNumber(usage[name]),
  )
  const audio = readNumber(promptDetails?.audio_tokens) ?? 0
  if (prompt === undefined || completion === undefined) return 0
  return total === prompt + completion + audio ? audio : 0
}
