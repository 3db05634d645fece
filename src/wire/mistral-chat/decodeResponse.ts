import { UpstreamError } from '../../core/failure.ts'
import type { AssistantMessage, WholeAnswer, Choice } from '../../core/answer/wholeAnswer.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { askedInOrder } from '../askedChoices.ts'
import { withAllChoices } from '../fewerChoices.ts'
import { assistantMessage } from '../assistantMessage.ts'
import { type OwnFinishWords, endOf } from '../finishWords.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { readObject, readObjects } from '../read.ts'
import { madeCallId } from '../toolCallIds.ts'
import { readContent } from './content.ts'
import { failureInside } from './decodeError.ts'
import { decodeToolCall } from './toolCalls.ts'
import { decodeUsage } from './usage.ts'

/** Reads a whole answer. Source: Mistral's OpenAPI description, `ChatCompletionResponse`. */
export function decodeResponse(
  body: Json,
  choices?: number,
  own?: OwnFinishWords,
  completionId = '',
): WholeAnswer {
  if (!isJsonObject(body)) throw invalidAnswer('no JSON object', body)
  const failure = failureInside(body)
  if (failure) throw new UpstreamError(failure)
  if (!Array.isArray(body.choices)) throw invalidAnswer('no choices in it', body)
  const found = askedInOrder(body.choices, choices)
  if (found === undefined) throw invalidAnswer(`not all of ${choices ?? 'the'} choices came`, body)
  const usage = decodeUsage(body.usage)
  const response = {
    choices: found.map(({ index, choice }) => decodeChoice(index, choice, own, completionId)),
    ...(usage && { usage }),
    extra: {},
  }
  return withAllChoices(response, choices)
}

function decodeChoice(
  index: number,
  choice: JsonObject,
  own: OwnFinishWords | undefined,
  completionId: string,
): Choice {
  const given = readObject(choice.message)
  if (given === undefined) throw invalidAnswer('a choice without a message', choice)
  const message = decodeMessage(given, completionId)
  const calls = message.tool_calls !== undefined
  const made = { content: Boolean(message.content) || calls, calls }
  return { index, message, ...endOf(choice.finish_reason, made, own) }
}

function decodeMessage(message: JsonObject, completionId: string): AssistantMessage {
  const { text, reasoning, details } = readContent(message.content)
  const toolCalls = readObjects(message.tool_calls).map((call, ordinal) =>
    decodeToolCall(call, madeCallId(completionId, ordinal)),
  )
  return assistantMessage({ text, reasoning, details, toolCalls })
}
