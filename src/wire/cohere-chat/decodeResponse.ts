import type { AssistantMessage, ChatResponse } from '../../core/chat/response.ts'
import type { ToolCall } from '../../core/chat/request.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { invalidAnswer } from '../errorAnswer.ts'
import { readNumber, readObject, readObjects, readText } from '../read.ts'
import { toAnnotations } from './citations.ts'
import { decodeFinishReason } from './finishReason.ts'
import { toLogprobs } from './logprobs.ts'

/** Reads a whole answer: always one choice. */
export function decodeResponse(body: Json): ChatResponse {
  if (!isJsonObject(body)) throw invalidAnswer('no JSON object', body)
  const message = readObject(body['message'])
  if (message === undefined) throw invalidAnswer('no message in it', body)
  const finishReason = decodeFinishReason(readText(body['finish_reason']) ?? '')
  if (finishReason === undefined) throw invalidAnswer('the model failed or did not finish', body)
  const usage = decodeUsage(body['usage'])
  const logprobs = toLogprobs(readObjects(body['logprobs']))
  return {
    choices: [
      {
        index: 0,
        message: decodeMessage(message),
        finishReason,
        ...(logprobs === undefined ? {} : { logprobs }),
      },
    ],
    ...(usage === undefined ? {} : { usage }),
    extra: {},
  }
}

/**
 * Counts are `billed_units`, which the list price is for and which know no cheaper cached input. `tokens`
 * also counts Cohere's own prompt template, and so does `cached_tokens`: both stand in where nothing was
 * billed by tokens.
 */
export function decodeUsage(value: Json | undefined): Usage | undefined {
  const usage = readObject(value)
  const billed = tokenCounts(readObject(usage?.['billed_units']))
  const counts = billed ?? tokenCounts(readObject(usage?.['tokens']))
  if (usage === undefined || counts === undefined) return undefined
  const cached = billed === undefined ? (readNumber(usage['cached_tokens']) ?? 0) : 0
  return {
    promptTokens: counts.input,
    cachedTokens: Math.min(cached, counts.input),
    cacheWriteTokens: 0,
    completionTokens: counts.output,
    reasoningTokens: 0,
  }
}

function tokenCounts(units: JsonObject | undefined): { input: number; output: number } | undefined {
  const input = readNumber(units?.['input_tokens'])
  const output = readNumber(units?.['output_tokens'])
  if (input === undefined && output === undefined) return undefined
  return { input: input ?? 0, output: output ?? 0 }
}

/** The plan before tool calls is text like any other to a caller of ours, and comes first. */
function decodeMessage(message: JsonObject): AssistantMessage {
  const { text, reasoning } = readContent(message['content'])
  const content = (readText(message['tool_plan']) ?? '') + text
  const toolCalls = readObjects(message['tool_calls']).map(decodeToolCall)
  const annotations = readObjects(message['citations']).flatMap(toAnnotations)
  return {
    role: 'assistant',
    content: content === '' && toolCalls.length > 0 ? null : content,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(annotations.length === 0 ? {} : { annotations }),
  }
}

/** Content is a string or a list of `text` and `thinking` items. */
export function readContent(content: Json | undefined): { text: string; reasoning: string } {
  if (typeof content === 'string') return { text: content, reasoning: '' }
  let text = ''
  let reasoning = ''
  for (const item of readObjects(content)) {
    text += readText(item['text']) ?? ''
    reasoning += readText(item['thinking']) ?? ''
  }
  return { text, reasoning }
}

export function decodeToolCall(call: JsonObject, index: number): ToolCall {
  const called = readObject(call['function'])
  return {
    id: readText(call['id']) ?? `call_${index}`,
    type: 'function',
    function: { name: readText(called?.['name']) ?? '', arguments: readText(called?.['arguments']) ?? '{}' },
  }
}
