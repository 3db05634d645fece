import type { ToolCall } from '../../core/chat/request.ts'
import type { AssistantMessage, WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { ONE_OF_SEVERAL } from '../askedChoices.ts'
import { assistantMessage } from '../assistantMessage.ts'
import { type OwnFinishWords, endOf } from '../finishWords.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { readObject, readObjects, readText } from '../read.ts'
import { madeCallId } from '../toolCallIds.ts'
import { argumentsText } from '../toolCalls.ts'
import { decodeCitation } from './citations.ts'
import { readContent } from './content.ts'
import { decodeLogprobs } from './logprobs.ts'
import { decodeUsage } from './usage.ts'

/** Reads a whole answer: always one choice. */
export function decodeResponse(
  body: Json,
  choices = 1,
  own?: OwnFinishWords,
  completionId = '',
): WholeAnswer {
  if (!isJsonObject(body)) throw invalidAnswer('no JSON object', body)
  if (choices > 1) throw invalidAnswer(ONE_OF_SEVERAL, body)
  const message = readObject(body.message)
  if (message === undefined) throw invalidAnswer('no message in it', body)
  const answer = decodeMessage(message, completionId)
  const calls = answer.tool_calls !== undefined
  const end = endOf(body.finish_reason, { content: Boolean(answer.content) || calls, calls }, own)
  const usage = decodeUsage(body.usage)
  const logprobs = decodeLogprobs(readObjects(body.logprobs))
  return {
    choices: [
      {
        index: 0,
        message: answer,
        ...end,
        ...(logprobs && { logprobs }),
      },
    ],
    ...(usage && { usage }),
    extra: {},
  }
}

/** The plan before tool calls is text like any other to a caller of ours, and comes first. */
function decodeMessage(message: JsonObject, completionId: string): AssistantMessage {
  const { text, reasoning } = readContent(message.content)
  const plan = readText(message.tool_plan) ?? ''
  const toolCalls = readObjects(message.tool_calls).map((call, ordinal) =>
    decodeToolCall(call, madeCallId(completionId, ordinal)),
  )
  const annotations = readObjects(message.citations).flatMap(decodeCitation)
  return assistantMessage({ text: plan + text, reasoning, toolCalls, annotations })
}

function decodeToolCall(call: JsonObject, ownId: string): ToolCall {
  const called = readObject(call.function)
  return {
    id: readText(call.id) ?? ownId,
    type: 'function',
    function: { name: readText(called?.name) ?? '', arguments: argumentsOf(called?.arguments) },
  }
}

/** Of a call without arguments they are the word `null`, or not there. */
function argumentsOf(value: Json | undefined): string {
  const text = argumentsText(value)
  return text === '' || text === 'null' ? '{}' : text
}
