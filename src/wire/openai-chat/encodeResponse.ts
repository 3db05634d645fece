import type { AssistantMessage, WholeAnswer, Choice } from '../../core/answer/wholeAnswer.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Envelope } from '../wire.ts'
import { encodeUsage } from './usage.ts'

/** Writes a whole answer: the chat completion object of OpenAI's API. */
export function encodeResponse(response: WholeAnswer, { id, created, model }: Envelope): JsonObject {
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: response.choices.map(writeChoice),
    ...(response.usage && { usage: encodeUsage(response.usage) }),
    ...response.extra,
  }
}

function writeChoice({ index, message, finishReason, logprobs, extra }: Choice): JsonObject {
  return {
    index,
    message: writeMessage(message),
    logprobs: logprobs ?? null,
    finish_reason: finishReason,
    ...extra,
  }
}

/** `refusal` is there also when there is none: clients read it without asking. */
function writeMessage({ role, content, refusal, ...others }: AssistantMessage): JsonObject {
  return { role, content, refusal: refusal ?? null, ...others } as unknown as JsonObject
}
