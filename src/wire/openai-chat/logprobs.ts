import { type Json, type JsonObject, isJsonObject } from '../../core/json.ts'

/**
 * Log probabilities as the interface has them: both lists are there, null where a provider has none (DeepSeek leaves them
 * out). Undefined: it has neither, or has them in a form of its own.
 */
export function readLogprobs(value: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined
  const { content, refusal } = value
  const isWhole = isListOrNull(content) && isListOrNull(refusal)
  if (isWhole) return content === null && refusal === null ? undefined : value
  if (!Array.isArray(content) && !Array.isArray(refusal)) return undefined
  return { ...value, content: listOrNull(content), refusal: listOrNull(refusal) }
}

function isListOrNull(value: Json | undefined): boolean {
  return value === null || Array.isArray(value)
}

function listOrNull(value: Json | undefined): Json {
  return value !== undefined && Array.isArray(value) ? (value as readonly Json[]) : null
}
