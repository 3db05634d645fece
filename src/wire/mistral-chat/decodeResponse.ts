import type { AssistantMessage, ChatResponse, Choice } from '../../core/chat/response.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { askedInOrder } from '../askedChoices.ts'
import { withAllChoices } from '../fewerChoices.ts'
import { assistantMessage } from '../assistantMessage.ts'
import { invalidAnswer } from '../errorAnswer.ts'
import { readObject, readObjects } from '../read.ts'
import { readContent } from './content.ts'
import { decodeFinishReason } from './finishReason.ts'
import { decodeToolCall } from './toolCalls.ts'
import { decodeUsage } from './usage.ts'

/** Reads a whole answer. Source: Mistral's OpenAPI description, `ChatCompletionResponse`. */
export function decodeResponse(body: Json, choices?: number): ChatResponse {
  if (!isJsonObject(body) || !Array.isArray(body['choices'])) throw invalidAnswer('no choices in it', body)
  const found = askedInOrder(body['choices'], choices)
  if (found === undefined) throw invalidAnswer(`not all of ${choices ?? 'the'} choices came`, body)
  const usage = decodeUsage(body['usage'])
  const response = {
    choices: found.map(({ index, choice }) => decodeChoice(index, choice)),
    ...(usage === undefined ? {} : { usage }),
    extra: {},
  }
  return withAllChoices(response, choices)
}

function decodeChoice(index: number, choice: JsonObject): Choice {
  const message = readObject(choice['message'])
  const finishReason = decodeFinishReason(choice['finish_reason'])
  if (message === undefined) throw invalidAnswer('a choice without a message', choice)
  if (finishReason === undefined) throw invalidAnswer('unknown finish_reason', choice)
  return { index, message: decodeMessage(message), finishReason }
}

function decodeMessage(message: JsonObject): AssistantMessage {
  const { text, reasoning, details } = readContent(message['content'])
  const toolCalls = readObjects(message['tool_calls']).map(decodeToolCall)
  return assistantMessage({ text, reasoning, details, toolCalls })
}
