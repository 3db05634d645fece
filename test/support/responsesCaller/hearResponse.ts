import type { AnswerEvent } from '../../../src/core/answer/event.ts'
import type { FinishReason } from '../../../src/core/answer/wholeAnswer.ts'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { textOf } from '../callers/compact.ts'
import { itemReader, listOf } from './hearItem.ts'

/** https://platform.openai.com/docs/api-reference/responses/object#responses-object-incomplete_details */
const REASONS: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
}

/** What a caller of Responses reads in a response, by OpenAI's documents and not with the code of `src`. */
export function hearResponse(response: JsonObject): AnswerEvent[] {
  const reader = itemReader()
  const said = listOf(response['output']).flatMap((item) => reader.hear(item))
  return [{ type: 'start' }, ...said, ...endOf(response, reader.calls)]
}

/** How a response ends, and what it used. Throws where it failed, or is still open. */
export function endOf(response: JsonObject, calls: number): AnswerEvent[] {
  const { usage } = response
  const finish: AnswerEvent = { type: 'finish', index: 0, reason: reasonOf(response, calls) }
  return usage === null ? [finish] : [finish, { type: 'usage', usage: usageOf(usage as JsonObject) }]
}

function reasonOf({ status, incomplete_details: details }: JsonObject, calls: number): FinishReason {
  if (status === 'completed') return calls > 0 ? 'tool_calls' : 'stop'
  const word = textOf((details as JsonObject | null)?.['reason'])
  const reason = REASONS[word]
  if (status !== 'incomplete' || reason === undefined)
    throw new Error(`not an end of a response: ${JSON.stringify(status)} ${word}`)
  return reason
}

function usageOf(usage: JsonObject) {
  const { input_tokens_details: input, output_tokens_details: output } = usage
  const count = (of: Json | undefined, name: string): number => Number(((of ?? {}) as JsonObject)[name] ?? 0)
  return {
    promptTokens: count(usage, 'input_tokens'),
    cachedTokens: count(input, 'cached_tokens'),
    cacheWriteTokens: count(input, 'cache_write_tokens'),
    completionTokens: count(usage, 'output_tokens'),
    reasoningTokens: count(output, 'reasoning_tokens'),
  }
}
