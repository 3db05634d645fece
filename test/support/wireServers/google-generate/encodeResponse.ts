import type {
  AssistantMessage,
  WholeAnswer,
  FinishReason,
  GeneratedImage,
} from '../../../../src/core/answer/wholeAnswer.ts'
import type { ReasoningDetail, ToolCall } from '../../../../src/core/chat/request.ts'
import { parseDataUrl } from '../../../../src/core/dataUrl.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import { readableArguments } from '../../../../src/wire/toolCalls.ts'
import type { Envelope } from '../../../../src/wire/wire.ts'
import { imageId } from '../../../../src/wire/google-generate/toolCalls.ts'
import { encodeFinishReason } from './finishReason.ts'
import { encodeLogprobs } from './logprobs.ts'
import { encodeUsage } from './usage.ts'

export function encodeResponse(response: WholeAnswer, envelope: Envelope): JsonObject {
  const candidates = response.choices.map(({ index, message, finishReason, logprobs }) => {
    const logprobsResult = encodeLogprobs(logprobs)
    return {
      ...encodeCandidate(index, encodeParts(message), finishReason),
      ...(logprobsResult && { logprobsResult }),
    }
  })
  return {
    candidates,
    ...(response.usage && { usageMetadata: encodeUsage(response.usage) }),
    modelVersion: envelope.model,
    responseId: envelope.id,
  }
}

export function encodeCandidate(
  index: number,
  parts: readonly JsonObject[],
  reason?: FinishReason,
): JsonObject {
  return {
    content: { role: 'model', parts },
    ...(reason && { finishReason: encodeFinishReason(reason) }),
    index,
  }
}

function encodeParts(message: AssistantMessage): JsonObject[] {
  const { reasoning_content: thoughts, content, refusal, tool_calls: calls = [] } = message
  const text = content || refusal
  return [
    ...(thoughts ? [{ text: thoughts, thought: true }] : []),
    ...(text ? [{ text }] : []),
    ...encodeImages(message.images ?? [], message.reasoning_details ?? []),
    ...encodeCalls(calls, message.reasoning_details ?? []),
  ]
}

/** Images that a model made; those that are not data URLs are left out. */
export function encodeImages(
  images: readonly GeneratedImage[],
  details: readonly ReasoningDetail[],
): JsonObject[] {
  return images.flatMap(({ image_url: { url }, index = 0 }) => {
    const image = parseDataUrl(url)
    if (!image) return []
    const thoughtSignature = details.find(({ id }) => id === imageId(index))?.data
    const part = { inlineData: { mimeType: image.mediaType, data: image.base64 } }
    return [thoughtSignature === undefined ? part : { ...part, thoughtSignature }]
  })
}

/** Calls with the signatures that belong to them. */
export function encodeCalls(calls: readonly ToolCall[], details: readonly ReasoningDetail[]): JsonObject[] {
  return calls.map((call) => {
    const functionCall = { id: call.id, name: call.function.name, args: readableArguments(call) }
    const signature = details.find((detail) => detail.id === call.id)?.data
    return signature === undefined ? { functionCall } : { functionCall, thoughtSignature: signature }
  })
}
