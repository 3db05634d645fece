import type { ReasoningDetail, ToolCall } from '../../core/chat/request.ts'
import type { GeneratedImage } from '../../core/answer/wholeAnswer.ts'
import { toDataUrl } from '../../core/dataUrl.ts'
import type { JsonObject } from '../../core/json.ts'
import { readObject, readObjects, readText } from '../read.ts'
import { madeCallId } from '../toolCallIds.ts'
import { decodeSignature, decodeToolCall, imageId } from './toolCalls.ts'

/** What the parts of a candidate say: the whole of an answer, or one frame's share of it. */
export interface CandidateParts {
  readonly text: string
  readonly thoughts: string
  readonly calls: readonly ToolCall[]
  readonly signatures: readonly ReasoningDetail[]
  readonly images: readonly GeneratedImage[]
}

/**
 * Kinds of parts that we do not ask for (code) are passed over.
 * @param before what the candidate made in earlier frames
 */
export function decodeParts(
  candidate: JsonObject,
  before: { readonly calls: number; readonly images: number },
  completionId: string,
): CandidateParts {
  let text = ''
  let thoughts = ''
  const calls: ToolCall[] = []
  const signatures: ReasoningDetail[] = []
  const images: GeneratedImage[] = []
  for (const part of readObjects(readObject(candidate.content)?.parts)) {
    if (readObject(part.functionCall)) {
      const call = decodeToolCall(part, madeCallId(completionId, before.calls + calls.length))
      calls.push(call)
      signatures.push(...decodeSignature(part, call.id))
    } else if (typeof part.text === 'string') {
      if (part.thought === true) thoughts += part.text
      else text += part.text
    } else if (part.thought !== true) {
      const url = imageUrlOf(part)
      if (url === undefined) continue
      const index = before.images + images.length
      images.push({ type: 'image_url', image_url: { url }, index })
      signatures.push(...decodeSignature(part, imageId(index)))
    }
  }
  return { text, thoughts, calls, signatures, images }
}

/** The image that a part holds. Undefined for media of other kinds: models make them only where the request asks for them, which is not sold. */
export function imageUrlOf(part: JsonObject): string | undefined {
  const inline = readObject(part.inlineData)
  const mediaType = readText(inline?.mimeType)
  const data = readText(inline?.data)
  return mediaType?.startsWith('image/') && data !== undefined ? toDataUrl(mediaType, data) : undefined
}
