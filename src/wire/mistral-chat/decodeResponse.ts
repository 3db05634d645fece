import type { AssistantMessage, ChatResponse, Choice, FinishReason } from '../../core/chat/response.ts'
import type { ReasoningDetail, ToolCall } from '../../core/chat/request.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { invalidAnswer, writeJson } from '../errorAnswer.ts'
import { readNumber, readObject, readObjects, readText } from '../read.ts'

/** Reads a whole answer. Source: Mistral's OpenAPI description, `ChatCompletionResponse`. */
export function decodeResponse(body: Json, choices = 1): ChatResponse {
  if (!isJsonObject(body) || !Array.isArray(body['choices'])) throw invalidAnswer('no choices in it', body)
  const decoded = readObjects(body['choices']).map((choice, ordinal) => decodeChoice(choice, ordinal))
  if (decoded.length < choices) throw invalidAnswer(`only ${decoded.length} of ${choices} choices`, body)
  const usage = decodeUsage(body['usage'])
  return {
    choices: decoded.toSorted((a, b) => a.index - b.index),
    ...(usage === undefined ? {} : { usage }),
    extra: {},
  }
}

function decodeChoice(choice: JsonObject, ordinal: number): Choice {
  const message = readObject(choice['message'])
  const finishReason = decodeFinishReason(choice['finish_reason'])
  if (message === undefined) throw invalidAnswer('a choice without a message', choice)
  if (finishReason === undefined) throw invalidAnswer('unknown finish_reason', choice)
  return { index: readNumber(choice['index']) ?? ordinal, message: decodeMessage(message), finishReason }
}

function decodeMessage(message: JsonObject): AssistantMessage {
  const { text, reasoning, details } = readContent(message['content'])
  const toolCalls = readObjects(message['tool_calls']).map(decodeToolCall)
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  }
}

function decodeToolCall(call: JsonObject, index: number): ToolCall {
  const { name, text } = readFunction(call)
  return {
    id: readToolCallId(call) ?? `call_${index}`,
    type: 'function',
    function: { name, arguments: text },
  }
}

/** A call's name and arguments; these come as a string or as an object. */
export function readFunction(call: JsonObject): { name: string; text: string } {
  const called = readObject(call['function']) ?? {}
  const given = called['arguments']
  const text =
    typeof given === 'string' ? given : given === undefined || given === null ? '' : (writeJson(given) ?? '')
  return { name: readText(called['name']) ?? '', text }
}

/** Mistral writes the word `null` where it has no id. */
export function readToolCallId(call: JsonObject): string | undefined {
  const id = readText(call['id'])
  return id === 'null' ? undefined : id
}

export interface ReadContent {
  readonly text: string
  readonly reasoning: string
  readonly details: readonly ReasoningDetail[]
  /** The thoughts that no signature has closed yet. */
  readonly unsigned: string
}

/**
 * Reads content, which is a string or a list of chunks: text, thinking; references have no address to cite.
 * @param unsigned in a stream: thoughts of its earlier pieces, which the next signature closes too; in a
 *   whole answer, absent, a signature closes its own chunk only
 */
export function readContent(content: Json | undefined, unsigned?: string): ReadContent {
  const streamed = unsigned !== undefined
  let open = unsigned ?? ''
  if (typeof content === 'string') return { text: content, reasoning: '', details: [], unsigned: open }
  let text = ''
  let reasoning = ''
  const details: ReasoningDetail[] = []
  for (const chunk of readObjects(content)) {
    if (chunk['type'] === 'thinking') {
      const thought = thoughtOf(chunk['thinking'])
      const signature = readText(chunk['signature'])
      reasoning += thought
      open = streamed ? open + thought : thought
      if (signature !== undefined) {
        details.push({ type: 'reasoning.text', text: open, signature })
        open = ''
      }
    } else {
      text += readText(chunk['text']) ?? ''
    }
  }
  return { text, reasoning, details, unsigned: open }
}

function thoughtOf(thinking: Json | undefined): string {
  if (typeof thinking === 'string') return thinking
  let thought = ''
  for (const part of readObjects(thinking)) thought += readText(part['text']) ?? ''
  return thought
}

/** Undefined for what is no end of an answer: `error`, or none at all. */
export function decodeFinishReason(reason: Json | undefined): FinishReason | undefined {
  switch (reason) {
    case 'stop':
    case 'length':
    case 'tool_calls':
    case 'content_filter':
      return reason
    case 'model_length':
      return 'length'
    default:
      return undefined
  }
}

/** Cached tokens are part of `prompt_tokens`, reasoning tokens of `completion_tokens`. */
export function decodeUsage(value: Json | undefined): Usage | undefined {
  const usage = readObject(value)
  const promptTokens = readNumber(usage?.['prompt_tokens'])
  if (usage === undefined || promptTokens === undefined) return undefined
  const promptDetails =
    readObject(usage['prompt_tokens_details']) ?? readObject(usage['prompt_token_details'])
  const completionDetails = readObject(usage['completion_tokens_details'])
  return {
    promptTokens,
    cachedTokens: readNumber(promptDetails?.['cached_tokens']) ?? readNumber(usage['num_cached_tokens']) ?? 0,
    cacheWriteTokens: 0,
    completionTokens: readNumber(usage['completion_tokens']) ?? 0,
    reasoningTokens: readNumber(completionDetails?.['reasoning_tokens']) ?? 0,
  }
}
