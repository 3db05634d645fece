import type { AssistantMessage, WholeAnswer } from '../../../../src/core/answer/wholeAnswer.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import { withThinking } from '../../../../src/wire/chunkedContent.ts'
import { compact } from '../../../../src/wire/read.ts'
import { plainToolCall } from '../../../../src/wire/toolCalls.ts'
import type { Envelope } from '../../../../src/wire/wire.ts'
import { thinkingOf } from '../../../../src/wire/mistral-chat/content.ts'
import { thinkingChunk } from './content.ts'
import { encodeFinishReason } from './finishReason.ts'
import { encodeUsage } from './usage.ts'

/** Writes a whole answer in Mistral's format. */
export function encodeResponse(response: WholeAnswer, envelope: Envelope): JsonObject {
  return compact({
    id: envelope.id,
    object: 'chat.completion',
    created: envelope.created,
    model: envelope.model,
    choices: response.choices.map((choice) => ({
      index: choice.index,
      message: encodeMessage(choice.message),
      finish_reason: encodeFinishReason(choice.finishReason),
    })),
    usage: response.usage === undefined ? undefined : encodeUsage(response.usage),
  })
}

function encodeMessage(message: AssistantMessage): JsonObject {
  // A refusal has no place of its own.
  const text = message.content || (message.refusal ?? '')
  return compact({
    role: 'assistant',
    content: withThinking(thinkingOf(message, thinkingChunk), text),
    tool_calls: message.tool_calls?.map((call, index) => ({ index, ...plainToolCall(call) })),
  })
}
