import type { Message, ReasoningDetail, ToolCall } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { readObject, readText } from '../read.ts'
import { isOfFormat, THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'

/**
 * Stands for a signature that was lost; models that want one take it
 * (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
export const DUMMY_SIGNATURE = 'skip_thought_signature_validator'

/** The signatures of a message's tool calls and images, by the call's id or the image's. */
export function signaturesOf(message: Message): ReadonlyMap<string, string> {
  const signatures = new Map<string, string>()
  for (const detail of message.reasoning_details ?? [])
    if (isPartSignature(detail)) signatures.set(detail.id, detail.data)
  return signatures
}

/** What the signature beside an image is kept under. */
export function imageId(index: number): string {
  return `image_${index}`
}

/** Whether a reasoning block is the signature of a tool call or of an image. */
export function isPartSignature(
  detail: ReasoningDetail,
): detail is ReasoningDetail & { readonly id: string; readonly data: string } {
  if (detail.id === undefined || detail.data === undefined) return false
  return detail.type === 'reasoning.encrypted' && isOfFormat(detail, THOUGHT_FORMATS.google)
}

/** The signature of a part, kept under the id of its call or image. */
export function decodeSignature(part: JsonObject, id: string): ReasoningDetail[] {
  const data = readText(part.thoughtSignature)
  if (data === undefined || data === DUMMY_SIGNATURE) return []
  return [{ type: 'reasoning.encrypted', id, data, format: THOUGHT_FORMATS.google }]
}

/**
 * Reads a `functionCall` part.
 * @param ownId for older models, which give none
 */
export function decodeToolCall(part: JsonObject, ownId: string): ToolCall {
  const call = readObject(part.functionCall) ?? {}
  return {
    id: readText(call.id) ?? ownId,
    type: 'function',
    function: { name: readText(call.name) ?? '', arguments: JSON.stringify(call.args ?? {}) },
  }
}
