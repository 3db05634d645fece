import type { ToolCall } from '../../core/chat/request.ts'
import type { AssistantMessage, WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { UpstreamError } from '../../core/failure.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { ONE_OF_SEVERAL } from '../askedChoices.ts'
import { type OwnFinishWords, endOf } from '../finishWords.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { readObject, readObjects, readText } from '../read.ts'
import { madeCallId } from '../toolCallIds.ts'
import { decodeCitations } from './citations.ts'
import { decodeErrorObject } from './decodeError.ts'
import { decodeThinking } from './reasoning.ts'
import { decodeUsage, mergeUsage } from './usage.ts'

/** Reads a whole Message; throws `UpstreamError` for anything else. */
export function decodeResponse(
  body: Json,
  choices = 1,
  own?: OwnFinishWords,
  completionId = '',
): WholeAnswer {
  const answer = readObject(body)
  if (answer?.error !== undefined) throw new UpstreamError(decodeErrorObject(answer))
  if (!answer || !Array.isArray(answer.content)) throw invalidAnswer('no message with content')
  if (choices > 1) throw invalidAnswer(ONE_OF_SEVERAL)
  const blocks = readObjects(answer.content)
  const refusal = readText(readObject(answer.stop_details)?.explanation)
  const message = decodeMessage(blocks, refusal, completionId)
  const made = { content: hasContent(message), calls: message.tool_calls !== undefined }
  const end = endOf(answer.stop_reason, made, own)
  const counted = mergeUsage(undefined, answer.usage)
  return {
    choices: [{ index: 0, message, ...end }],
    ...(counted && { usage: decodeUsage(counted) }),
    extra: {},
  }
}

function hasContent(message: AssistantMessage): boolean {
  return Boolean(message.content) || message.tool_calls !== undefined
}

/** Blocks of kinds that we do not ask for (server tools and their results) are passed over. */
function decodeMessage(
  blocks: readonly JsonObject[],
  refusal: string | undefined,
  completionId: string,
): AssistantMessage {
  let content: string | null = null
  const calls: ToolCall[] = []
  const annotations: JsonObject[] = []
  for (const block of blocks) {
    if (block.type === 'text' && typeof block.text === 'string') {
      const start = content?.length ?? 0
      content = (content ?? '') + block.text
      annotations.push(...decodeCitations(readObjects(block.citations), start, content.length))
    } else if (block.type === 'tool_use') {
      calls.push(decodeToolUse(block, madeCallId(completionId, calls.length)))
    }
  }
  return {
    role: 'assistant',
    content: content ?? (calls.length > 0 || refusal !== undefined ? null : ''),
    ...(refusal !== undefined && { refusal }),
    ...decodeThinking(blocks),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(annotations.length > 0 && { annotations }),
  }
}

/** An earlier or a new call of the model; its input is an object, its arguments are text. */
export function decodeToolUse(block: JsonObject, ownId: string): ToolCall {
  return {
    id: readText(block.id) ?? ownId,
    type: 'function',
    function: { name: readText(block.name) ?? '', arguments: JSON.stringify(block.input ?? {}) },
  }
}
