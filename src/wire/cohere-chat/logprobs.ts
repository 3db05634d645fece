import type { JsonObject } from '../../core/json.ts'
import { readText } from '../read.ts'

const encoder = new TextEncoder()

/**
 * OpenAI's log probabilities from Cohere's, which are given for chunks of text of one or more tokens: each
 * chunk becomes one entry, with the sum of its tokens' values. Undefined when there are none.
 */
export function decodeLogprobs(items: readonly JsonObject[]): JsonObject | undefined {
  if (items.length === 0) return undefined
  const content = items.map((item) => {
    const text = readText(item.text) ?? ''
    const values = Array.isArray(item.logprobs) ? item.logprobs : []
    const logprob = values.reduce<number>((sum, value) => sum + (typeof value === 'number' ? value : 0), 0)
    return { token: text, logprob, bytes: [...encoder.encode(text)], top_logprobs: [] }
  })
  return { content, refusal: null }
}
