import type { ReasoningDetail, ToolCall } from '../../core/chat/request.ts'
import type { AssistantMessage, ChatResponse } from '../../core/chat/response.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { invalidAnswer, writeJson } from '../errorAnswer.ts'
import { readNumber, readObject, readObjects, readText } from '../read.ts'
import { toAnnotation } from './citation.ts'
import { decodeStopReason } from './stopReason.ts'

/** Reads a `ConverseResponse`: always one choice. */
export function decodeResponse(body: Json): ChatResponse {
  if (!isJsonObject(body)) throw invalidAnswer('no JSON object', body)
  const content = readObject(readObject(body['output'])?.['message'])?.['content']
  if (!Array.isArray(content)) throw invalidAnswer('no message in it', body)
  const message = decodeMessage(readObjects(content))
  const answered = Boolean(message.content) || message.tool_calls !== undefined
  const stopReason = readText(body['stopReason'])
  const finishReason = stopReason === undefined ? undefined : decodeStopReason(stopReason, answered)
  if (finishReason === undefined) throw invalidAnswer('the model failed or did not finish', body)
  const usage = decodeUsage(body['usage'])
  return {
    choices: [{ index: 0, message, finishReason }],
    ...(usage === undefined ? {} : { usage }),
    extra: serviceTierOf(body),
  }
}

/**
 * Converse counts cached tokens beside `inputTokens`; our prompt holds them all. It does not tell
 * reasoning tokens apart: they are in `outputTokens`.
 */
export function decodeUsage(value: Json | undefined): Usage | undefined {
  const usage = readObject(value)
  const input = readNumber(usage?.['inputTokens'])
  const output = readNumber(usage?.['outputTokens'])
  if (usage === undefined || input === undefined || output === undefined) return undefined
  const cachedTokens = readNumber(usage['cacheReadInputTokens']) ?? 0
  const cacheWriteTokens = readNumber(usage['cacheWriteInputTokens']) ?? 0
  return {
    promptTokens: input + cachedTokens + cacheWriteTokens,
    cachedTokens,
    cacheWriteTokens,
    completionTokens: output,
    reasoningTokens: 0,
  }
}

/** The tier that served the call, where OpenAI reports it. */
export function serviceTierOf(body: JsonObject): JsonObject {
  const tier = readText(readObject(body['serviceTier'])?.['type'])
  return tier === undefined ? {} : { service_tier: tier }
}

function decodeMessage(blocks: readonly JsonObject[]): AssistantMessage {
  let text = ''
  let reasoning = ''
  const details: ReasoningDetail[] = []
  const toolCalls: ToolCall[] = []
  const annotations: JsonObject[] = []
  for (const block of blocks) {
    const reasoningContent = readObject(block['reasoningContent'])
    const toolUse = readObject(block['toolUse'])
    const cited = readObject(block['citationsContent'])
    if (reasoningContent) {
      reasoning += readText(readObject(reasoningContent['reasoningText'])?.['text']) ?? ''
      details.push(...toDetails(reasoningContent))
    } else if (toolUse) {
      if (!isServerTool(toolUse)) toolCalls.push(decodeToolUse(toolUse))
    } else if (cited) {
      const start = text.length
      for (const part of readObjects(cited['content'])) text += readText(part['text']) ?? ''
      for (const citation of readObjects(cited['citations'])) {
        annotations.push(...toAnnotation(citation, start, text.length))
      }
    } else {
      text += readText(block['text']) ?? ''
    }
  }
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(annotations.length === 0 ? {} : { annotations }),
  }
}

/** A signed or encrypted block, to be replayed unchanged; thoughts without a signature need no replay. */
export function toDetails(reasoningContent: JsonObject): ReasoningDetail[] {
  const thought = readObject(reasoningContent['reasoningText'])
  const signature = readText(thought?.['signature'])
  if (thought !== undefined && signature !== undefined) {
    return [{ type: 'reasoning.text', text: readText(thought['text']) ?? '', signature }]
  }
  const data = readText(reasoningContent['redactedContent'])
  return data === undefined ? [] : [{ type: 'reasoning.encrypted', data }]
}

/** A tool that the provider runs itself: no call for the caller to answer. */
export function isServerTool(toolUse: JsonObject): boolean {
  return toolUse['type'] === 'server_tool_use'
}

function decodeToolUse(toolUse: JsonObject): ToolCall {
  const text = writeJson(toolUse['input'] ?? {})
  if (text === undefined) throw invalidAnswer('arguments nested too deep', null)
  return {
    id: readText(toolUse['toolUseId']) ?? '',
    type: 'function',
    function: { name: readText(toolUse['name']) ?? '', arguments: text },
  }
}
