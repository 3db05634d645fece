import { type JsonObject, isJsonObject } from '../../core/json.ts'
import { NO_USAGE, type ReportedUsage } from '../../core/usage.ts'
import { decodeUsage as decodeChatUsage, isZeroReport } from '../openai-chat/usage.ts'

/**
 * Reads the `usage` of a response: chat's, by other names. Cached and written tokens are part of the input, reasoning is
 * part of the output. Undefined when it reports nothing.
 *
 * @param isFiltered the answer was ended by a filter: then a report of 0 is meant (docs/billing.md#usage)
 */
export function decodeUsage(value: unknown, isFiltered = false): ReportedUsage | undefined {
  if (!isJsonObject(value)) return undefined
  const usage = inChatsWords(value)
  return decodeChatUsage(usage) ?? (isFiltered && isZeroReport(usage) ? NO_USAGE : undefined)
}

function inChatsWords(usage: JsonObject): JsonObject {
  const { input_tokens_details: input, output_tokens_details: output, total_tokens } = usage
  return {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens,
    prompt_tokens_details: input,
    completion_tokens_details: output,
  }
}
