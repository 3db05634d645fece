import type { AssistantMessage, ChatResponse, Choice } from '../../core/chat/response.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { assistantMessage } from '../assistantMessage.ts'
import { invalidAnswer } from '../errorAnswer.ts'
import { readNumber, readObject, readObjects } from '../read.ts'
import { readContent } from './content.ts'
import { decodeFinishReason } from './finishReason.ts'
import { decodeToolCall } from './toolCalls.ts'
import { decodeUsage } from './usage.ts'

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
  return assistantMessage({ text, reasoning, details, toolCalls })
}
